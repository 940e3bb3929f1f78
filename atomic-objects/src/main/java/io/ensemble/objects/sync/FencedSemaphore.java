package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.permit.PermitState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A number of permits between processes; each grant of permits has a lease and a token. Waiting
 * requests are served in the order in which they asked, so a request for few permits waits behind a
 * request for many. Otherwise as {@link FencedLock}. Thread-safe.
 */
public final class FencedSemaphore implements AutoCloseable {

  private final PermitClient permitClient;
  private final int permits;

  FencedSemaphore(PermitClient permitClient, int permits) {
    this.permitClient = permitClient;
    this.permits = permits;
  }

  /** Acquires one permit, as {@link FencedLock#acquire}. */
  public Optional<Grant> acquire(Duration atMost) throws InterruptedException {
    return acquire(1, atMost);
  }

  /**
   * Acquires {@code wanted} permits in one grant, as {@link FencedLock#acquire}.
   *
   * @throws IllegalArgumentException if the semaphore never has so many permits
   */
  public Optional<Grant> acquire(int wanted, Duration atMost) throws InterruptedException {
    return permitClient.claimed(checked(wanted), "", atMost);
  }

  /**
   * As {@link #acquire(int, Duration)}, with a time in the form of {@code java.util.concurrent}.
   */
  public Optional<Grant> acquire(int wanted, long time, TimeUnit unit) throws InterruptedException {
    return acquire(wanted, AsyncWait.duration(time, unit));
  }

  /** Acquires {@code wanted} permits, if they are available and no request waits. */
  public Optional<Grant> tryAcquire(int wanted) throws InterruptedException {
    return acquire(wanted, Duration.ZERO);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireAsync(int wanted, Duration atMost) {
    return permitClient.claim(checked(wanted), "", atMost);
  }

  /** The number of permits that are free now. Costs one read. */
  public int available() {
    return BlockingWait.toItsEnd(availableAsync());
  }

  /** As {@link #available}, without waiting. */
  public CompletionStage<Integer> availableAsync() {
    return permitClient.link().call(PermitState::available);
  }

  /** Releases the grants of this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }

  private int checked(int wanted) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException(
          "number of permits must be in [1, " + permits + "]; got " + wanted);
    }
    return wanted;
  }
}
