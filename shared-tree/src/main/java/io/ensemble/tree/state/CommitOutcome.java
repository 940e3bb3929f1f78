package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;

/**
 * What the sequencer answers to a transaction.
 *
 * @param kind see {@link Kind}
 * @param commit the number of the commit, or of the last one
 * @param where the path or the owner that a refusal is about; empty for none
 * @param hasPlan whether a checkpoint is planned
 * @param planned whether this call planned it
 */
public record CommitOutcome(
    Kind kind, long commit, String where, boolean hasPlan, boolean planned) {

  /** How a transaction ended. */
  public enum Kind {
    /** It is committed. */
    COMMITTED,
    /** A commit after its base wrote what it had read. */
    CONFLICT,
    /** Its base is older than what the sequencer remembers: the reads must be made again. */
    STALE,
    /** The log is full: a checkpoint must be written first. */
    FULL,
    /** An owner would have too many nodes. */
    TOO_MANY_NODES,
    /** An owner's nodes would take too many bytes. */
    TOO_MANY_BYTES,
    /** The tree is deleted. */
    DELETED
  }

  /** The path that a conflict is about. */
  public TreePath path() {
    return TreePath.decoded(where);
  }
}
