package io.ensemble.migrate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The movers at work in one process, which end with it: one that went on without its sites would
 * beat and do nothing, and nobody would take over. As many as changes that it carries out or waits
 * for. Thread-safe.
 */
public final class Movers {

  /** Who carries a change out, of whatever kind. */
  public interface Working {

    /** Begins. */
    void start();

    /** Completes, or fails, when it has ended. */
    CompletionStage<?> over();

    /**
     * Ends it.
     *
     * @return when others know that it has ended, or it failed to tell them
     */
    CompletionStage<?> stop();
  }

  // Both belong to this object's lock.
  private final Set<Working> working = new HashSet<>();
  private boolean stopped;

  /**
   * Has it begin.
   *
   * @throws IllegalStateException after the end; then it is stopped
   */
  public void start(Working mover) {
    boolean late;
    synchronized (this) {
      late = stopped || !working.add(mover);
    }
    if (late) {
      mover.stop();
      throw new IllegalStateException("the manager is stopped: build another");
    }
    mover.over().whenComplete((over, failure) -> ended(mover));
    mover.start();
  }

  private synchronized void ended(Working mover) {
    working.remove(mover);
  }

  /**
   * Ends all, and has none begin any more.
   *
   * @return completes when each has told that it has ended, or has failed to
   */
  public CompletionStage<?> stop() {
    List<Working> ending;
    synchronized (this) {
      stopped = true;
      ending = List.copyOf(working);
    }
    return CompletableFuture.allOf(
        ending.stream()
            .map(mover -> mover.stop().handle((told, failure) -> true).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }
}
