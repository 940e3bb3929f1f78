package io.ensemble.membership;

import java.util.List;
import java.util.Optional;

/**
 * A cache that is to leave a site.
 *
 * @param cache its name
 * @param from its sites
 * @param to its sites without that one
 * @param stays why it cannot leave; empty if it can
 * @param notes what to know of the site that it comes to: that it does not answer, or keeps in
 *     memory what was on disk; empty if nothing
 */
public record CacheRelocation(
    String cache, List<String> from, List<String> to, Optional<String> stays, List<String> notes) {

  public CacheRelocation {
    from = List.copyOf(from);
    to = List.copyOf(to);
    notes = List.copyOf(notes);
  }
}
