package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The read lock of a {@link FencedReadWriteLock} as a {@link Lock}, which belongs to a thread and
 * is reentrant. Each thread that acquires it has a grant of its own, beside the other readers. The
 * first acquisition of a thread costs what {@link FencedReadWriteLock#acquireToRead} costs, and its
 * last release one call; the others cost no call.
 *
 * <p>It can be lost, and fails, as {@link ReentrantFencedLock}. Conditions are not supported.
 * Thread-safe.
 */
public final class ReentrantFencedReadLock implements Lock {

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
  ReentrantFencedReadLock(PermitClient permitClient, Runnable deadlockCheck) {
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
   * Waits for the lock for at most this time, as {@link FencedReadWriteLock#acquireToRead}. Returns
   * false also, perhaps before this time, where {@code acquireToRead} throws {@link
   * WaitQueueFullException}.
   */
  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
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
   * @throws io.ensemble.objects.AtomicObjectException if the store does not respond; the lock is no
   *     longer held here, and writers get it at the latest when its lease is over
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
    return "ReentrantFencedReadLock[" + permitClient + "]";
  }
}
