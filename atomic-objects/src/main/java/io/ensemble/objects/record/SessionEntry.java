package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/**
 * The record of a session in the root.
 *
 * @param session the session
 * @param number of its last batch that was applied
 * @param sequence of the step that applied it
 * @param outcomes of the calls of that batch, in their order, for the session to read
 */
public record SessionEntry(UUID session, long number, long sequence, List<CallOutcome> outcomes) {

  /** Copies the list. */
  public SessionEntry {
    outcomes = List.copyOf(outcomes);
  }
}
