package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.permit.PermitState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A number of permits between processes, each grant of some with a lease and a token. Those who
 * wait are served in the order in which they asked; who wants few waits behind who wants many. As a
 * {@link FencedLock} otherwise. Thread-safe.
 */
public final class FencedSemaphore implements AutoCloseable {

  private final PermitClient permitClient;
  private final int permits;

  FencedSemaphore(PermitClient permitClient, int permits) {
    this.permitClient = permitClient;
    this.permits = permits;
  }

  /** One permit, as {@link FencedLock#acquire}. */
  public Optional<Grant> acquire(Duration atMost) throws InterruptedException {
    return acquire(1, atMost);
  }

  /**
   * So many permits in one grant, as {@link FencedLock#acquire}.
   *
   * @throws IllegalArgumentException if there are never as many
   */
  public Optional<Grant> acquire(int wanted, Duration atMost) throws InterruptedException {
    return permitClient.claimed(checked(wanted), "", atMost);
  }

  /** So many permits, if they are there and nobody waits. */
  public Optional<Grant> tryAcquire(int wanted) throws InterruptedException {
    return acquire(wanted, Duration.ZERO);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireAsync(int wanted, Duration atMost) {
    return permitClient.claim(checked(wanted), "", atMost);
  }

  /** How many permits nobody holds now. One read. */
  public int available() {
    return BlockingWait.toItsEnd(availableAsync());
  }

  /** As {@link #available}, without waiting. */
  public CompletionStage<Integer> availableAsync() {
    return permitClient.link().call(PermitState::available);
  }

  /** Gives back what was granted through this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }

  private int checked(int wanted) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException("1 to " + permits + " permits are had; asked: " + wanted);
    }
    return wanted;
  }
}
