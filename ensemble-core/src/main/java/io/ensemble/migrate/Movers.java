package io.ensemble.migrate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The movers at work in one process, which end with it. A mover that continued without its sites
 * would send heartbeats and do nothing, and no other process would take over. The number is that of
 * the changes that the process carries out or waits for. Thread-safe.
 */
public final class Movers {

  /** A mover of any kind of change. */
  public interface RunningMover {

    /** Begins. */
    void start();

    /** Completes, or fails, when it has ended. */
    CompletionStage<?> completion();

    /**
     * Ends the mover.
     *
     * @return completes when other processes can see that the mover has ended, or when it failed to
     *     record that
     */
    CompletionStage<?> stop();
  }

  // Both are guarded by this object's lock.
  private final Set<RunningMover> activeMovers = new HashSet<>();
  private boolean stopped;

  /**
   * Starts {@code mover}.
   *
   * @throws IllegalStateException after the end; then {@code mover} is stopped
   */
  public void start(RunningMover mover) {
    boolean isRejected;
    synchronized (this) {
      isRejected = stopped || !activeMovers.add(mover);
    }
    if (isRejected) {
      mover.stop();
      throw new IllegalStateException("the manager is stopped: build another");
    }
    mover.completion().whenComplete((done, failure) -> remove(mover));
    mover.start();
  }

  private synchronized void remove(RunningMover mover) {
    activeMovers.remove(mover);
  }

  /**
   * Ends all movers, and starts no more.
   *
   * @return completes when each has recorded that it has ended, or has failed to
   */
  public CompletionStage<?> stop() {
    List<RunningMover> stoppedMovers;
    synchronized (this) {
      stopped = true;
      stoppedMovers = List.copyOf(activeMovers);
    }
    return CompletableFuture.allOf(
        stoppedMovers.stream()
            .map(mover -> mover.stop().handle((done, failure) -> true).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }
}
