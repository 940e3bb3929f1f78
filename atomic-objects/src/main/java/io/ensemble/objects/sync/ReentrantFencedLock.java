package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.permit.WaitQueueFullException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FencedLock}, or the write lock of a {@link FencedReadWriteLock}, as a {@link Lock} that
 * belongs to a thread and is reentrant. Threads of this handle take turns in this process, and the
 * handle has at most one request of this kind in the queue of the lock. The first acquisition of a
 * thread and its last release cost what they cost at the {@code FencedLock}; the others cost no
 * call.
 *
 * <p>Unlike a lock of one process, this one can be lost: its lease ends if the process cannot renew
 * it, or an administrator revokes it. Then reentrant acquisitions and the last {@link #unlock}
 * throw {@link LeaseLostException}, as {@link #token} does. Work that must never overlap has to
 * pass the token to the resource.
 *
 * <p>All methods that acquire fail with {@link io.ensemble.objects.AtomicObjectException} if the
 * store does not respond, and with {@link java.util.concurrent.CancellationException} if the handle
 * is closed; the lock is then not held, and retrying is safe. {@link #lock} and {@link
 * #lockInterruptibly} fail with {@link WaitQueueFullException} if 1,000 requests of living
 * processes wait for the lock. Conditions are not supported. Thread-safe.
 */
public final class ReentrantFencedLock implements Lock {

  static final Duration FOREVER = Duration.ofDays(36_500);

  /** How a thread that has the turn in this process asks for the lock. */
  private interface GrantRequest {
    Optional<Grant> ask() throws InterruptedException;
  }

  private final PermitClient permitClient;
  private final int permits;
  private final Runnable deadlockCheck;
  private final ReentrantLock turn = new ReentrantLock();

  /** Of the thread that has the turn. */
  private @Nullable Grant grant;

  /**
   * @param deadlockCheck called before a thread waits; throws if the thread would wait for itself
   */
  ReentrantFencedLock(PermitClient permitClient, int permits, Runnable deadlockCheck) {
    this.permitClient = permitClient;
    this.permits = permits;
    this.deadlockCheck = deadlockCheck;
  }

  /** Waits for the lock, however long this takes; an interrupt is kept for later. */
  @Override
  public void lock() {
    deadlockCheck.run();
    turn.lock();
    try {
      enter(() -> BlockingWait.toItsEnd(claim(FOREVER)));
    } catch (InterruptedException e) {
      throw new AssertionError("a wait to its end is not interrupted", e);
    }
  }

  /**
   * As {@link #lock}, but an interrupt ends the wait, without the lock. The request leaves the
   * queue shortly after this method has thrown; until then {@link #tryLock()} may return false in
   * every process although no process holds the lock.
   */
  @Override
  public void lockInterruptibly() throws InterruptedException {
    deadlockCheck.run();
    turn.lockInterruptibly();
    enter(() -> permitClient.claimed(permits, "", FOREVER));
  }

  /** Acquires the lock, if it is free and no request waits. Waits for the store only. */
  @Override
  public boolean tryLock() {
    try {
      return turn.tryLock() && enter(() -> BlockingWait.toItsEnd(claim(Duration.ZERO)));
    } catch (InterruptedException e) {
      throw new AssertionError("a wait to its end is not interrupted", e);
    }
  }

  /**
   * Waits for the lock for at most this time, as {@link FencedLock#acquire}. Returns false also,
   * perhaps before this time, where {@code acquire} throws {@link WaitQueueFullException}: the lock
   * was not available, and callers of a {@code Lock} are prepared for that.
   */
  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    deadlockCheck.run();
    long begun = System.nanoTime();
    if (!turn.tryLock(time, unit)) {
      return false;
    }
    return enter(
        () -> {
          Duration left = AsyncWait.duration(time, unit).minusNanos(System.nanoTime() - begun);
          try {
            return permitClient.claimed(permits, "", left.isNegative() ? Duration.ZERO : left);
          } catch (WaitQueueFullException e) {
            return Optional.empty();
          }
        });
  }

  private CompletableFuture<Optional<Grant>> claim(Duration atMost) {
    return permitClient.claim(permits, "", atMost);
  }

  /** The thread has the turn, and keeps it if it gets the lock, or has it already. */
  private boolean enter(GrantRequest asking) throws InterruptedException {
    boolean entered = false;
    try {
      if (turn.getHoldCount() > 1) {
        held().checkHeld();
        entered = true;
      } else {
        grant = asking.ask().orElse(null);
        entered = grant != null;
      }
      return entered;
    } finally {
      if (!entered) {
        turn.unlock();
      }
    }
  }

  /**
   * Releases one acquisition of this thread, and with the last one the lock.
   *
   * @throws IllegalMonitorStateException if this thread does not have the lock
   * @throws LeaseLostException if this was the last acquisition, and the lock had been lost
   * @throws io.ensemble.objects.AtomicObjectException if the store does not respond; the lock is no
   *     longer held here, and others get it at the latest when its lease is over
   */
  @Override
  public void unlock() {
    Grant held = held();
    try {
      if (turn.getHoldCount() == 1) {
        grant = null;
        if (!held.release()) {
          throw held.lost();
        }
      }
    } finally {
      turn.unlock();
    }
  }

  /**
   * The fencing token of the lock; see {@link Grant#token}.
   *
   * @throws IllegalMonitorStateException if this thread does not have the lock
   * @throws LeaseLostException if the lock was lost
   */
  public long token() {
    return held().token();
  }

  /** How often this thread has acquired the lock and not released it; also if it was lost. */
  public int holdCount() {
    return turn.getHoldCount();
  }

  private Grant held() {
    Grant held = turn.isHeldByCurrentThread() ? grant : null;
    if (held == null) {
      throw new IllegalMonitorStateException("the lock is not held by this thread");
    }
    return held;
  }

  /** Not supported. */
  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a fenced lock has no conditions");
  }

  @Override
  public String toString() {
    return "ReentrantFencedLock[" + permitClient + "]";
  }
}
