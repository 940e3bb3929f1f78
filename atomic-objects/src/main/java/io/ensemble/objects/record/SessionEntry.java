package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/**
 * What the root remembers of a session.
 *
 * @param session which
 * @param number of its last batch that was applied
 * @param sequence of the step that applied it
 * @param outcomes of that batch's calls, in their order, for the session to fetch
 */
public record SessionEntry(UUID session, long number, long sequence, List<CallOutcome> outcomes) {

  /** Copies the list. */
  public SessionEntry {
    outcomes = List.copyOf(outcomes);
  }
}
