package io.ensemble.membership;

import java.util.List;
import java.util.Optional;

/**
 * A cache that has to leave a site.
 *
 * @param cache its name
 * @param from its sites
 * @param to its new sites, without that one
 * @param stays why it cannot leave; empty if it can
 * @param notes warnings about the new site: that it does not answer, or keeps in memory a store
 *     that was on disk; empty if none
 */
public record CacheRelocation(
    String cache, List<String> from, List<String> to, Optional<String> stays, List<String> notes) {

  public CacheRelocation {
    from = List.copyOf(from);
    to = List.copyOf(to);
    notes = List.copyOf(notes);
  }
}
