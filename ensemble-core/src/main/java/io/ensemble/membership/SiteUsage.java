package io.ensemble.membership;

import io.ensemble.catalog.site.SiteEntry;
import java.util.List;

/**
 * A site, and what it is used for.
 *
 * @param entry the site as the catalog has it
 * @param caches the caches that are there or come there, sorted
 * @param only those of them of which no other site has a store
 */
public record SiteUsage(SiteEntry entry, List<String> caches, List<String> only) {

  public SiteUsage {
    caches = List.copyOf(caches);
    only = List.copyOf(only);
  }

  /** Whether caches may come there. */
  public boolean isServing() {
    return entry.state() == SiteEntry.State.SERVING;
  }
}
