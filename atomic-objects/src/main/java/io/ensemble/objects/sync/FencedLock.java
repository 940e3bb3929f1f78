package io.ensemble.objects.sync;

import io.ensemble.objects.sync.permit.WaitQueueFullException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A lock between processes. The owner of the lock is the holder of the {@link Grant}, not a thread;
 * a second request of the owner waits like any other. Waiting requests get the lock in the order in
 * which they asked. Thread-safe.
 */
public final class FencedLock implements AutoCloseable {

  private final PermitClient permitClient;
  private final ReentrantFencedLock reentrant;

  FencedLock(PermitClient permitClient) {
    this.permitClient = permitClient;
    this.reentrant = new ReentrantFencedLock(permitClient, 1, () -> {});
  }

  /** Returns the lock, if it is free and no request waits. Costs one call. */
  public Optional<Grant> tryAcquire() throws InterruptedException {
    return acquire(Duration.ZERO);
  }

  /**
   * Returns the lock as soon as it is the turn of this caller. Costs one call if the lock is free;
   * otherwise additionally a read of the object whenever it changes, and about once a second; in a
   * store without events, the reads of this process that look for changes. A holder whose process
   * has died is replaced when it has not renewed its lease for 1.1 times the length of the lease.
   *
   * @return empty if the lock was not available in time, or up to one call timeout later if the
   *     store is slow
   * @throws io.ensemble.objects.AtomicObjectException if the store does not respond; the lock is
   *     then not held, and retrying is safe
   * @throws WaitQueueFullException if 1,000 requests of living processes wait already; thrown at
   *     the time limit, or after about 2.2 leases without room in the queue
   * @throws java.util.concurrent.CancellationException if this handle is closed meanwhile
   * @throws InterruptedException without holding the lock
   */
  public Optional<Grant> acquire(Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, "", atMost);
  }

  /**
   * As {@link #acquire}, without a blocked thread; with {@link Duration#ZERO} as {@link
   * #tryAcquire}. Cancelling the future of the stage ends the wait and withdraws the request.
   */
  public CompletionStage<Optional<Grant>> acquireAsync(Duration atMost) {
    return permitClient.claim(1, "", atMost);
  }

  /** As {@link #acquire(Duration)}, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> acquire(long time, TimeUnit unit) throws InterruptedException {
    return acquire(AsyncWait.duration(time, unit));
  }

  /**
   * This lock as a reentrant {@code java.util.concurrent.locks.Lock}, which belongs to a thread.
   * The same for each call. Grants of the other methods of this handle do not belong to it.
   */
  public ReentrantFencedLock asLock() {
    return reentrant;
  }

  /** Releases the grants of this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }

  @Override
  public String toString() {
    return permitClient.toString();
  }
}
