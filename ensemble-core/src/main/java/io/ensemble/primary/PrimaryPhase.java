package io.ensemble.primary;

/** What an operation waits for. */
enum PrimaryPhase {
  /** The primary's copy is wanted. */
  LOOK,
  /** The copies of a majority are wanted, among them the primary's. */
  GATHER,
  /** The primary was asked to take what is to be recovered. */
  PROPOSE,
  /** What the primary took goes to others. */
  BACK_UP,
  /** The primary is to be asked to settle it. */
  SETTLE,
  /** A write's copies go to others. */
  COPY,
  /** The primary was asked to take the write, or whether it has. */
  COMMIT
}
