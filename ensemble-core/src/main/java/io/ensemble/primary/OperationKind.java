package io.ensemble.primary;

/** The purpose of an operation. */
enum OperationKind {
  /** Read the value. */
  READ,
  /** Change the value, by the writer of the term. */
  WRITE,
  /** Change the value, after a write of the same writer with an unknown outcome. */
  FENCED_WRITE,
  /** Recover the key, if it exists. */
  RECOVER,
  /** Replicate a copy to all sites. */
  COPY
}
