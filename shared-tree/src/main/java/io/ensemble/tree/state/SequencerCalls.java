package io.ensemble.tree.state;

/** The calls of the atomic object that orders the transactions of a tree. */
public interface SequencerCalls {

  /**
   * What the sequencer answers when a checkpoint is complete.
   *
   * @param advanced whether this call completed it; false if it was complete, or is unknown
   * @param hasPlan whether a further checkpoint is planned
   * @param isDeleted whether the tree is deleted
   */
  record AdvanceOutcome(boolean advanced, boolean hasPlan, boolean isDeleted) {}

  /**
   * Commits a transaction, if no commit after its base wrote what it read.
   *
   * @param request see {@link CommitRequest#encoded}
   */
  CommitOutcome commit(byte[] request);

  /**
   * Replaces the pages by those of the planned checkpoint.
   *
   * @param checkpoint its number
   * @param chain the digest of the commits up to its last one
   * @param root the encoded reference to its root page
   * @param nowMillis the time of the caller; a wrong one makes replaced pages unreadable too early,
   *     or stay
   * @param removedTo the replaced pages of checkpoints up to this one were removed
   */
  AdvanceOutcome advance(long checkpoint, int chain, byte[] root, long nowMillis, long removedTo);

  /**
   * Refuses all further commits and checkpoints, so that the pages can be removed.
   *
   * @return false if it was called before
   */
  boolean delete();
}
