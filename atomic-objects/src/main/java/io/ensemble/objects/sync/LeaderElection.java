package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.listener.ListenerRegistration;
import io.ensemble.objects.sync.listener.ValueListener;
import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One leader at a time among the candidates, in the order in which they applied. Leadership is a
 * {@link Grant}: it ends when the grant is released or lost. When a leader has died, the next
 * candidate succeeds it after 1.1 times the length of its lease. Thread-safe.
 */
public final class LeaderElection implements AutoCloseable {

  /**
   * The leader.
   *
   * @param announced the text of its candidacy, such as its address
   * @param token of its leadership
   */
  public record Leader(String announced, long token) {}

  private static final int LONGEST_ANNOUNCEMENT = 1000;

  private final PermitClient permitClient;

  LeaderElection(PermitClient permitClient) {
    this.permitClient = permitClient;
  }

  /**
   * Becomes a candidate, and waits for leadership as {@link FencedLock#acquire} does.
   *
   * @param announced a text for observers, of at most 1000 characters
   */
  public Optional<Grant> lead(String announced, Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, checked(announced), atMost);
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> lead(String announced, long time, TimeUnit unit)
      throws InterruptedException {
    return lead(announced, AsyncWait.duration(time, unit));
  }

  /** As {@link #lead(String, Duration)}; cancelling the stage's future withdraws the candidate. */
  public CompletionStage<Optional<Grant>> leadAsync(String announced, Duration atMost) {
    return permitClient.claim(1, checked(announced), atMost);
  }

  /**
   * The present leader: the last one, even if it has died, until a candidate replaces it. Any
   * process may ask. Costs one read.
   */
  public Optional<Leader> leader() {
    return BlockingWait.toItsEnd(leaderAsync());
  }

  /** As {@link #leader}, without waiting. */
  public CompletionStage<Optional<Leader>> leaderAsync() {
    return permitClient.link().call(PermitState::holders).thenApply(LeaderElection::first);
  }

  /**
   * Registers a listener, which gets the present leader, and then the leader after each change that
   * this process sees; empty if there is none. Several changes in a row may be reported as one; the
   * last one is always reported. Costs a read for each change, and one for each second, or four
   * where the store has no events.
   *
   * @param listener called on the executor of the factory, one call at a time; must not block for
   *     long. A failure of it is logged, and does not end it
   * @return closes the listener, which also ends when this handle is closed
   */
  public ListenerRegistration listen(Consumer<? super Optional<Leader>> listener) {
    return new ValueListener<>(
            permitClient.link(), PermitState::holders, LeaderElection::first, listener)
        .begin();
  }

  private static String checked(String announced) {
    if (announced.length() > LONGEST_ANNOUNCEMENT) {
      throw new IllegalArgumentException(
          "an announcement must have at most "
              + LONGEST_ANNOUNCEMENT
              + " characters; got "
              + announced.length());
    }
    return announced;
  }

  private static Optional<Leader> first(List<PermitHolder> holders) {
    return holders.stream().findFirst().map(h -> new Leader(h.note(), h.token()));
  }

  /** Releases leadership, withdraws the candidates of this handle, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }
}
