package io.ensemble.objects.root;

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
public record Member(UUID session, long number, long sequence, List<Outcome> outcomes) {

  /** Copies the list. */
  public Member {
    outcomes = List.copyOf(outcomes);
  }
}
