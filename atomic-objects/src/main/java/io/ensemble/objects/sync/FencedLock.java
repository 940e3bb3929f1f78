package io.ensemble.objects.sync;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock between processes. Who has the {@link Grant} owns it, not a thread; asking again while
 * holding it waits like anybody else. Those who wait get it in the order in which they asked.
 * Thread-safe.
 */
public final class FencedLock implements AutoCloseable {

  private final PermitClient permitClient;

  FencedLock(PermitClient permitClient) {
    this.permitClient = permitClient;
  }

  /** The lock, if nobody holds it or waits for it. One call. */
  public Optional<Grant> tryAcquire() throws InterruptedException {
    return acquire(Duration.ZERO);
  }

  /**
   * The lock, as soon as it is this caller's turn. One call if it is free; otherwise a read of the
   * object whenever that changes, and about once a second. A holder whose process has died is
   * replaced when it has not renewed its lease for that and a tenth more.
   *
   * @return empty if it was not to be had in time, or one call's timeout later if the store is slow
   * @throws io.ensemble.objects.AtomicObjectException if the store does not answer; then it is not
   *     held, and asking again is safe
   * @throws IllegalStateException if too many wait already
   * @throws java.util.concurrent.CancellationException if this handle is closed meanwhile
   * @throws InterruptedException with nothing held
   */
  public Optional<Grant> acquire(Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, "", atMost);
  }

  /**
   * As {@link #acquire}, without a thread that waits; with {@link Duration#ZERO} as {@link
   * #tryAcquire}. Cancelling the stage's future ends the wait and leaves nothing behind.
   */
  public CompletionStage<Optional<Grant>> acquireAsync(Duration atMost) {
    return permitClient.claim(1, "", atMost);
  }

  /** Gives back what was granted through this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }
}
