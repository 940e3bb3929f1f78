package io.ensemble.primary;

/** What an operation is for. */
enum OperationKind {
  /** To know the value. */
  READ,
  /** To change it, by the writer of the term. */
  WRITE,
  /** The same, after a write of which the writer lost sight. */
  FENCED_WRITE,
  /** To recover the key, if there is any. */
  RECOVER,
  /** To bring a copy to all sites. */
  COPY
}
