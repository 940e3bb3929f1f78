package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * One leader at a time among those who stand for it, in the order in which they did. Leadership is
 * a {@link Grant}: it ends when that is released or lost. A leader that has died is succeeded by
 * the next candidate, when its lease and a tenth more are over. Thread-safe.
 */
public final class LeaderElection implements AutoCloseable {

  /**
   * Who leads.
   *
   * @param announced what it said when it stood, such as where it is reached
   * @param token of its leadership
   */
  public record Leader(String announced, long token) {}

  private static final int LONGEST_ANNOUNCEMENT = 1000;

  private final PermitClient permitClient;

  LeaderElection(PermitClient permitClient) {
    this.permitClient = permitClient;
  }

  /**
   * Stands for leader, and waits for it as {@link FencedLock#acquire} does.
   *
   * @param announced what observers are told of it, in at most 1000 characters
   */
  public Optional<Grant> lead(String announced, Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, checked(announced), atMost);
  }

  /** As {@link #lead}; cancelling the stage's future withdraws the candidate. */
  public CompletionStage<Optional<Grant>> leadAsync(String announced, Duration atMost) {
    return permitClient.claim(1, checked(announced), atMost);
  }

  /**
   * Who leads, for anybody who asks: the last one, even where it has died, until a candidate
   * replaces it. One read.
   */
  public Optional<Leader> leader() {
    return BlockingWait.toItsEnd(leaderAsync());
  }

  /** As {@link #leader}, without waiting. */
  public CompletionStage<Optional<Leader>> leaderAsync() {
    return permitClient.link().call(PermitState::holders).thenApply(LeaderElection::first);
  }

  private static String checked(String announced) {
    if (announced.length() > LONGEST_ANNOUNCEMENT) {
      throw new IllegalArgumentException(
          "at most "
              + LONGEST_ANNOUNCEMENT
              + " characters are announced; got "
              + announced.length());
    }
    return announced;
  }

  private static Optional<Leader> first(List<PermitHolder> holders) {
    return holders.stream().findFirst().map(h -> new Leader(h.note(), h.token()));
  }

  /** Gives leadership back, withdraws this handle's candidates, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }
}
