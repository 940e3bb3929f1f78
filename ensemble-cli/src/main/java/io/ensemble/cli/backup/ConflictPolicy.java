package io.ensemble.cli.backup;

/** What a restore does with a key that has another value, or a version that has another one. */
enum ConflictPolicy {
  /** Fails; keys that were written before stay. */
  FAIL,
  /** Keeps the present value. */
  SKIP,
  /** Writes the value of the backup; a version is never replaced, and fails. */
  OVERWRITE
}
