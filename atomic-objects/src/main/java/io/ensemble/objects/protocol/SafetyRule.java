package io.ensemble.objects.protocol;

/**
 * The rules on which the safety of the protocol depends. Production applies all; tests break them
 * one by one.
 */
public enum SafetyRule {
  /** An event is a hint: its content is verified by a read before it is used. */
  EVENTS_ARE_HINTS,
  /** A copy of the state that has missed steps is not advanced, but made again. */
  GAPS_ARE_FILLED,
  /** The root records the last applied batch of each session. */
  CALLS_ARE_REMEMBERED,
  /** Calls leave the root only when the snapshot that contains them is known to be stored. */
  SNAPSHOTS_COME_FIRST
}
