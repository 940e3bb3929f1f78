package io.ensemble.primary;

/** The event for which an operation waits. */
enum PrimaryPhase {
  /** The primary shows its copy. */
  LOOK,
  /** A majority shows its copies, among them the primary. */
  GATHER,
  /** The primary accepts the copy to be recovered. */
  PROPOSE,
  /** Other sites store the copy that the primary accepted. */
  BACK_UP,
  /** The primary settles the recovered copy. */
  SETTLE,
  /** Other sites store a write's copies. */
  COPY,
  /** The primary accepts the write, or shows whether it has. */
  COMMIT
}
