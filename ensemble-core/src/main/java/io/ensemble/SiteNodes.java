package io.ensemble;

import io.ensemble.catalog.SeenNodes;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.hotrod.Endpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a site's entry at the nodes that it has, for processes that start later. One thread at a
 * time, which may wait.
 */
final class SiteNodes {

  /** How far apart looks at the nodes are; what two of them in a row have seen is there. */
  static final Duration INTERVAL = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(SiteNodes.class);

  private final SiteCare.Means means;
  private final String name;
  private final Scheduler scheduler;
  private long lookAt;
  private Set<InetSocketAddress> nodes = Set.of();

  /** Held open for what the site tells with its answers. */
  private @Nullable SiteStore unusedButHeld;

  SiteNodes(SiteCare.Means means, String name) {
    this.means = means;
    this.name = name;
    this.scheduler = means.federation().scheduler();
    this.lookAt = scheduler.nanos();
  }

  /**
   * Looks, if it is time.
   *
   * @param here the caches at the site
   */
  void refresh(SiteEntry entry, List<StoredDefinition> here) {
    if (scheduler.nanos() - lookAt < 0) {
      return;
    }
    lookAt = scheduler.nanos() + INTERVAL.toNanos();
    if (present().isEmpty()) {
      openAny(here);
    }
    Set<InetSocketAddress> now = present();
    if (now.equals(nodes)) {
      List<Endpoint> next = SeenNodes.endpoints(entry.endpoints(), now);
      if (!Set.copyOf(next).equals(Set.copyOf(entry.endpoints()))) {
        means.exit().catalog().moved(entry, next);
        LOG.info("a site's endpoints are others; site={} endpoints={}", name, next);
      }
    }
    nodes = now;
  }

  private Optional<Site> site() {
    return means.federation().sites().find(name);
  }

  private Set<InetSocketAddress> present() {
    return site().map(Site::nodes).orElse(Set.of());
  }

  /** A site tells of its nodes with the answers to requests to a store. */
  private void openAny(List<StoredDefinition> here) {
    Duration longest = SiteCare.LONGEST_QUESTION;
    for (StoredDefinition cache : here) {
      Optional<String> store = cache.store(name);
      Optional<Site> site = site();
      if (store.isEmpty() || site.isEmpty()) {
        continue;
      }
      try {
        unusedButHeld =
            means
                .caches()
                .waitFor(
                    () ->
                        site.get()
                            .open(
                                store.get(),
                                SiteHandle.kindOf(cache.definition()),
                                Deadline.after(longest, scheduler)),
                    longest);
        return;
      } catch (RuntimeException failed) {
        LOG.debug("a store cannot be opened; site={} store={}", name, store.get(), failed);
      }
    }
  }
}
