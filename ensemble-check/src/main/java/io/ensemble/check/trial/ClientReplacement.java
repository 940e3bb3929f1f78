package io.ensemble.check.trial;

/**
 * Kills a client process during a call, and starts the one that takes its place. Both wait
 * uninterruptibly. One at a time.
 */
public final class ClientReplacement {
  private static final int NONE = -1;

  private final KillableClients workers;
  private volatile int gap = NONE;

  public ClientReplacement(KillableClients workers) {
    this.workers = workers;
  }

  /**
   * Kills a client process.
   *
   * @param choice selects the process that is examined first
   * @throws IllegalStateException if none was in a call, or this thread is interrupted
   */
  public void kill(int choice) {
    uninterrupted(() -> gap = workers.killOne(choice));
  }

  /** Starts another process, and waits until it works; no effect if none was killed. */
  public void fill() {
    int place = gap;
    gap = NONE;
    if (place != NONE) {
      uninterrupted(() -> workers.fill(place));
    }
  }

  private static void uninterrupted(WaitingStep step) {
    WaitingStep.complete("replacing a client process", step);
  }
}
