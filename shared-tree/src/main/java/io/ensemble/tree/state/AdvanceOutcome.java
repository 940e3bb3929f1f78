package io.ensemble.tree.state;

/**
 * What the sequencer answers when a checkpoint is complete.
 *
 * @param advanced whether this call completed it; false if it was complete, or is unknown
 * @param hasPlan whether a further checkpoint is planned
 * @param isDeleted whether the tree is deleted
 */
public record AdvanceOutcome(boolean advanced, boolean hasPlan, boolean isDeleted) {}
