package io.ensemble.membership;

import io.ensemble.catalog.site.SiteEntry;
import java.util.List;

/**
 * A site and its caches.
 *
 * @param entry the site as the catalog has it
 * @param caches the caches that are there or move to it, sorted
 * @param only those of them that have a store at no other site
 */
public record SiteUsage(SiteEntry entry, List<String> caches, List<String> only) {

  public SiteUsage {
    caches = List.copyOf(caches);
    only = List.copyOf(only);
  }

  /** Whether caches may be placed there. */
  public boolean isServing() {
    return entry.state() == SiteEntry.State.SERVING;
  }
}
