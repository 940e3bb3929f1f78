package io.ensemble.maintenance;

import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.EndpointMerge;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the endpoints in a site's entry equal to the site's present nodes, for processes that start
 * later. Used by one thread at a time, which may block.
 */
final class EndpointUpdater {

  /**
   * The time between observations of the nodes. The endpoints are changed only after two equal
   * observations in a row.
   */
  static final Duration INTERVAL = Duration.ofSeconds(2);

  /** A cache at a site that is empty and is on all of its nodes. */
  static final String ON_ALL_NODES = "ensemble.nodes";

  private static final Logger LOG = LoggerFactory.getLogger(EndpointUpdater.class);

  private final SiteMaintenance.Means means;
  private final String name;
  private final Scheduler scheduler;
  private long nextCheckNanos;
  private Set<InetSocketAddress> nodes = Set.of();
  private boolean isOpenOnAllNodes;

  /** Held open, because the site reports its topology with its responses. */
  private @Nullable SiteStore heldStore;

  EndpointUpdater(SiteMaintenance.Means means, String name) {
    this.means = means;
    this.name = name;
    this.scheduler = means.federation().scheduler();
    this.nextCheckNanos = scheduler.nanos();
  }

  /**
   * Observes the nodes, if the interval has passed.
   *
   * @param siteCaches the caches at the site
   */
  void refresh(SiteEntry entry, List<StoredDefinition> siteCaches) {
    if (scheduler.nanos() - nextCheckNanos < 0) {
      return;
    }
    nextCheckNanos = scheduler.nanos() + INTERVAL.toNanos();
    if (readNodes().isEmpty() || isOpenOnAllNodes) {
      // The store on all nodes has no other request that would refresh the topology.
      openAnyStore(siteCaches);
    }
    Set<InetSocketAddress> currentNodes = readNodes();
    if (currentNodes.equals(nodes)) {
      Set<String> holders = holders(siteCaches);
      List<Endpoint> endpoints =
          EndpointMerge.endpoints(
              entry.endpoints(),
              currentNodes,
              endpoint -> holders.contains(HotRod.nodeAt(endpoint)));
      if (!Set.copyOf(endpoints).equals(Set.copyOf(entry.endpoints()))) {
        means.exit().catalog().moved(entry, endpoints);
        LOG.info("endpoints of a site changed; site={} endpoints={}", name, endpoints);
      }
    }
    nodes = currentNodes;
  }

  /** The nodes of the site that hold replicas of {@code siteCaches}. */
  private Set<String> holders(List<StoredDefinition> siteCaches) {
    Set<String> nodes = new HashSet<>();
    for (StoredDefinition cache : siteCaches) {
      for (String replica : ReplicaName.at(name, cache.definition().sites())) {
        cache
            .store(replica)
            .flatMap(store -> site().map(foundSite -> foundSite.nodeOf(store)))
            .ifPresent(nodes::add);
      }
    }
    return nodes;
  }

  private Optional<Site> site() {
    return means.federation().sites().find(name);
  }

  private Set<InetSocketAddress> readNodes() {
    return site().map(Site::nodes).orElse(Set.of());
  }

  /**
   * Opens a store through which the site reports its nodes. A site reports its nodes with the
   * responses of a store that is on all of them. If each store is on one node only, an empty store
   * is created for this purpose.
   */
  private void openAnyStore(List<StoredDefinition> siteCaches) {
    Optional<Site> site = site();
    if (site.isEmpty() || siteCaches.isEmpty()) {
      return;
    }
    for (StoredDefinition cache : siteCaches) {
      StoreKind kind = SiteHandle.kindOf(cache.definition());
      Optional<String> store = cache.store(name);
      if (kind != StoreKind.REPLICA && store.isPresent()) {
        if (tryOpen(store.get(), () -> site.get().open(store.get(), kind, requestDeadline()))) {
          isOpenOnAllNodes = false;
          return;
        }
      }
    }
    if (!tryOpen(
        ON_ALL_NODES, () -> site.get().open(ON_ALL_NODES, StoreKind.PLAIN, requestDeadline()))) {
      tryOpen(
          ON_ALL_NODES, () -> site.get().create(ON_ALL_NODES, StoreKind.PLAIN, requestDeadline()));
    }
    isOpenOnAllNodes = true;
  }

  private Deadline requestDeadline() {
    return Deadline.after(SiteMaintenance.LONGEST_QUESTION, scheduler);
  }

  /** Opens a store and holds it; returns false on failure. */
  private boolean tryOpen(String store, Supplier<CompletionStage<SiteStore>> storeOpening) {
    try {
      heldStore = means.caches().waitFor(storeOpening, SiteMaintenance.LONGEST_QUESTION);
      return true;
    } catch (RuntimeException exception) {
      LOG.debug("a store cannot be opened; site={} store={}", name, store, exception);
      return false;
    }
  }
}
