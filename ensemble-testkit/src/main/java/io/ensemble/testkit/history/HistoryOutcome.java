package io.ensemble.testkit.history;

/** How an operation ended, as far as its client can know. */
public enum HistoryOutcome {
  /**
   * The operation completed, and its {@code out} is the result that the client received. Written
   * {@code true}.
   */
  OK,
  /** The operation certainly had no effect. Written {@code false}. */
  REFUSED,
  /**
   * The operation may take effect at any time after its call, or never; its {@code out} is
   * meaningless. Written {@code "unknown"}.
   */
  UNKNOWN
}
