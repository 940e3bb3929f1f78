package io.ensemble.tree.state;

/** Whether a commit of one state is that of the same number of another state. */
public enum CommitComparison {
  /** It is the same, and so are all before it. */
  SAME,
  /** It is another one, or there is none: the store has lost what it had shown. */
  OTHER,
  /** It is too long ago. */
  UNKNOWN;

  static CommitComparison of(boolean isSame) {
    return isSame ? SAME : OTHER;
  }
}
