package io.ensemble;

import java.util.List;
import java.util.Optional;

/**
 * A cache that is to leave a site.
 *
 * @param cache its name
 * @param from its sites
 * @param to its sites without that one
 * @param stays why it cannot leave; empty if it can
 */
public record Departure(String cache, List<String> from, List<String> to, Optional<String> stays) {

  public Departure {
    from = List.copyOf(from);
    to = List.copyOf(to);
  }
}
