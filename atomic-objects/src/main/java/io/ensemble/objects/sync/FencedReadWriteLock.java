package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.permit.WaitQueueFullException;
import io.ensemble.objects.sync.view.ReentrantFencedReadWriteLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A lock for many readers or one writer. Waiting requests are served in the order in which they
 * asked, so readers that ask after a writer wait for it. A read grant cannot become a write grant.
 * Otherwise as {@link FencedLock}. Thread-safe.
 */
public final class FencedReadWriteLock implements AutoCloseable {

  /** The number of permits, of which a reader takes one and a writer all. */
  static final int ALL = 1_000_000;

  private final PermitClient permitClient;
  private final ReadLock readLock;
  private final ReentrantFencedLock writeLock;
  private final ReentrantFencedReadWriteLock reentrant;

  FencedReadWriteLock(PermitClient permitClient) {
    this.permitClient = permitClient;
    this.readLock = new ReadLock(permitClient, this::requireNotWriting);
    this.writeLock = new ReentrantFencedLock(permitClient, ALL, this::requireNotReading);
    this.reentrant = new ReentrantFencedReadWriteLock(readLock, writeLock);
  }

  /** Acquires the lock for reading, shared with other readers. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToRead(Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, "", atMost);
  }

  /** Acquires the lock for writing, exclusively. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToWrite(Duration atMost) throws InterruptedException {
    return permitClient.claimed(ALL, "", atMost);
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> acquireToRead(long time, TimeUnit unit) throws InterruptedException {
    return acquireToRead(AsyncWait.duration(time, unit));
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> acquireToWrite(long time, TimeUnit unit) throws InterruptedException {
    return acquireToWrite(AsyncWait.duration(time, unit));
  }

  /** Acquires the lock for reading, if no writer holds it and no request waits. */
  public Optional<Grant> tryAcquireToRead() throws InterruptedException {
    return acquireToRead(Duration.ZERO);
  }

  /** Acquires the lock for writing, if it is free and no request waits. */
  public Optional<Grant> tryAcquireToWrite() throws InterruptedException {
    return acquireToWrite(Duration.ZERO);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireToReadAsync(Duration atMost) {
    return permitClient.claim(1, "", atMost);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireToWriteAsync(Duration atMost) {
    return permitClient.claim(ALL, "", atMost);
  }

  /**
   * This lock as a {@code java.util.concurrent.locks.ReadWriteLock} with reentrant locks, which
   * belong to threads. The same for each call. Grants of the other methods of this handle do not
   * belong to it.
   */
  public ReentrantFencedReadWriteLock asReadWriteLock() {
    return reentrant;
  }

  private void requireNotWriting() {
    requireNoDeadlock("write", writeLock.holdCount());
  }

  private void requireNotReading() {
    requireNoDeadlock("read", readLock.holdCount());
  }

  private void requireNoDeadlock(String held, int count) {
    if (count > 0) {
      throw new IllegalStateException(
          "this thread has the %s lock, and would wait for itself; release it first; object=%s"
              .formatted(held, permitClient));
    }
  }

  /** Releases the grants of this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }

  /**
   * The read lock of a {@link FencedReadWriteLock} as a {@link Lock}, which belongs to a thread and
   * is reentrant. Each thread that acquires it has a grant of its own, beside the other readers.
   * The first acquisition of a thread costs what {@link FencedReadWriteLock#acquireToRead} costs,
   * and its last release one call; the others cost no call.
   *
   * <p>It can be lost, and fails, as {@link ReentrantFencedLock}. Conditions are not supported.
   * Thread-safe.
   */
  public static final class ReadLock implements Lock {

    /** The grant of a thread, and the number of its acquisitions. */
    private static final class ThreadHold {

      private final Grant grant;
      private int count = 1;

      private ThreadHold(Grant grant) {
        this.grant = grant;
      }
    }

    private final PermitClient permitClient;
    private final Runnable deadlockCheck;
    private final ThreadLocal<@Nullable ThreadHold> holds = new ThreadLocal<>();

    /**
     * @param deadlockCheck called before a thread waits; throws if the thread would wait for itself
     */
    ReadLock(PermitClient permitClient, Runnable deadlockCheck) {
      this.permitClient = permitClient;
      this.deadlockCheck = deadlockCheck;
    }

    /** Waits for the lock, however long this takes; an interrupt is kept for later. */
    @Override
    public void lock() {
      if (!isEnteredAgain()) {
        deadlockCheck.run();
        hold(BlockingWait.toItsEnd(permitClient.claim(1, "", ReentrantFencedLock.FOREVER)));
      }
    }

    /** As {@link #lock}, but an interrupt ends the wait, without the lock. */
    @Override
    public void lockInterruptibly() throws InterruptedException {
      requireNotInterrupted();
      if (!isEnteredAgain()) {
        deadlockCheck.run();
        hold(permitClient.claimed(1, "", ReentrantFencedLock.FOREVER));
      }
    }

    /** Acquires the lock, if no writer has it and no request waits. Waits for the store only. */
    @Override
    public boolean tryLock() {
      return isEnteredAgain()
          || hold(BlockingWait.toItsEnd(permitClient.claim(1, "", Duration.ZERO)));
    }

    /**
     * Waits for the lock for at most this time, as {@link FencedReadWriteLock#acquireToRead}.
     * Returns false also, perhaps before this time, where {@code acquireToRead} throws {@link
     * WaitQueueFullException}.
     */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      requireNotInterrupted();
      if (isEnteredAgain()) {
        return true;
      }
      deadlockCheck.run();
      try {
        return hold(permitClient.claimed(1, "", AsyncWait.duration(time, unit)));
      } catch (WaitQueueFullException e) {
        return false;
      }
    }

    /** As {@link Lock} requires, also for an acquisition that costs no call. */
    private static void requireNotInterrupted() throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }

    private boolean isEnteredAgain() {
      ThreadHold hold = holds.get();
      if (hold == null) {
        return false;
      }
      hold.grant.checkHeld();
      hold.count++;
      return true;
    }

    private boolean hold(Optional<Grant> grant) {
      grant.ifPresent(granted -> holds.set(new ThreadHold(granted)));
      return grant.isPresent();
    }

    /**
     * Releases one acquisition of this thread, and with the last one its share of the lock.
     *
     * @throws IllegalMonitorStateException if this thread does not have the lock
     * @throws LeaseLostException if this was the last acquisition, and the lock had been lost
     * @throws io.ensemble.objects.AtomicObjectException if the store does not respond; the lock is
     *     no longer held here, and writers get it at the latest when its lease is over
     */
    @Override
    public void unlock() {
      ThreadHold hold = requireHold();
      if (--hold.count == 0) {
        holds.remove();
        if (!hold.grant.release()) {
          throw hold.grant.lost();
        }
      }
    }

    /**
     * The fencing token of this thread's grant; see {@link Grant#token}.
     *
     * @throws IllegalMonitorStateException if this thread does not have the lock
     * @throws LeaseLostException if the lock was lost
     */
    public long token() {
      return requireHold().grant.token();
    }

    /** How often this thread has acquired the lock and not released it; also if it was lost. */
    public int holdCount() {
      ThreadHold hold = holds.get();
      return hold == null ? 0 : hold.count;
    }

    private ThreadHold requireHold() {
      ThreadHold hold = holds.get();
      if (hold == null) {
        throw new IllegalMonitorStateException("the lock is not held by this thread");
      }
      return hold;
    }

    /** Not supported. */
    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException("a fenced lock has no conditions");
    }

    @Override
    public String toString() {
      return "FencedReadWriteLock.ReadLock[" + permitClient + "]";
    }
  }
}
