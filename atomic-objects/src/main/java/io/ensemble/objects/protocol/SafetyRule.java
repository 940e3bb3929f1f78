package io.ensemble.objects.protocol;

/** What the construction's safety stands on. Production keeps all; tests break them one by one. */
public enum SafetyRule {
  /** An event is a hint: what it says is looked up before it is believed. */
  EVENTS_ARE_HINTS,
  /** A copy of the state that has missed steps is not moved on, but made anew. */
  GAPS_ARE_FILLED,
  /** The root remembers which batch of a session was applied last. */
  CALLS_ARE_REMEMBERED,
  /** Calls leave the root when the snapshot that holds them is known to be stored. */
  SNAPSHOTS_COME_FIRST
}
