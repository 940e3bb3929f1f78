package io.ensemble.tree.state;

/**
 * What the sequencer answers when a checkpoint is complete.
 *
 * @param advanced whether this call completed it; false if it was complete, or is unknown
 * @param hasPlan whether a further checkpoint is planned
 * @param removeFrom the first checkpoint whose replaced pages are to be removed now
 * @param removeTo the last one; smaller than {@code removeFrom} for none
 */
public record AdvanceOutcome(boolean advanced, boolean hasPlan, long removeFrom, long removeTo) {}
