package io.ensemble.check.trial;

/** A step of a fault that waits, and so may be interrupted. */
@FunctionalInterface
public interface WaitingStep {

  /** Carries out the step. */
  void run() throws InterruptedException;

  /**
   * Carries out {@code step}.
   *
   * @param what the step in words, for the message
   * @throws IllegalStateException if the thread is interrupted; it stays interrupted
   */
  static void complete(String what, WaitingStep step) {
    try {
      step.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + what, e);
    }
  }
}
