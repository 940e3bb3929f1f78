package io.ensemble.testkit.history;

/** How an operation ended, as far as its client can tell. */
public enum HistoryOutcome {
  /** It completed, and its {@code out} is what the client saw. Written {@code true}. */
  OK,
  /** It certainly had no effect. Written {@code false}. */
  REFUSED,
  /**
   * It may take effect at any time after its call, or never; its {@code out} means nothing. Written
   * {@code "unknown"}.
   */
  UNKNOWN
}
