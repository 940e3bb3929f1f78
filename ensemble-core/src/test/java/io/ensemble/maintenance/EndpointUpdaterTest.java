package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.codec.Codec;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.membership.CatalogView;
import io.ensemble.membership.SiteDecommission;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.stamp.HybridClock;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the nodes of a site change, its entry does too, so that later processes find the site. */
class EndpointUpdaterTest {

  private static final Duration BEAT = Duration.ofSeconds(2);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite site = new StubSite("a");
  private final EndpointUpdater nodes = nodes();

  private EndpointUpdater nodes() {
    ManagerContext federation =
        new ManagerContext(
            SiteDirectory.of(Map.of("a", site)),
            definitions,
            scheduler,
            Optional.empty(),
            new HybridClock(scheduler::epochMicros),
            null,
            BEAT,
            new SecureRandom(),
            List.of());
    OpenCaches caches = new OpenCaches(federation, new Codec(List.of()), Map.of());
    SiteDecommission exit = new SiteDecommission(new CatalogView(federation, caches), null, null);
    return new EndpointUpdater(
        new SiteMaintenance.Means(federation, caches, null, null, null, exit, BEAT), "a");
  }

  @BeforeEach
  void enter() {
    definitions.sites().create(SiteEntry.open("a", at(1), SiteStorage.MEMORY));
  }

  private static List<Endpoint> at(int... ports) {
    return ports(ports).stream().map(port -> new Endpoint("10.0.0.1", port)).toList();
  }

  private static Set<Integer> ports(int... ports) {
    Set<Integer> all = new TreeSet<>();
    for (int port : ports) {
      all.add(port);
    }
    return all;
  }

  private static Set<InetSocketAddress> addresses(int... ports) {
    return Set.copyOf(
        ports(ports).stream()
            .map(port -> InetSocketAddress.createUnresolved("10.0.0.1", port))
            .toList());
  }

  private void has(int... ports) {
    site.nodes = addresses(ports);
  }

  private SiteEntry entry() {
    return definitions.sites().get("a").toCompletableFuture().join().orElseThrow();
  }

  private void looks(StoredDefinition... here) {
    nodes.refresh(entry(), List.of(here));
    scheduler.advance(EndpointUpdater.INTERVAL);
  }

  @Test
  void whatTwoLooksHaveSeenIsEntered() {
    has(2, 3);

    looks();
    assertThat(entry().endpoints()).as("seen once").isEqualTo(at(1));
    looks();

    assertThat(entry().endpoints()).isEqualTo(at(2, 3));
    long revision = entry().revision();
    looks();
    assertThat(entry().revision()).as("nothing is new").isEqualTo(revision);
  }

  @Test
  void aNodeThatComesAndGoesIsNotEntered() {
    for (int i = 0; i < 4; i++) {
      has(1, 2 + i % 2);
      looks();
    }

    assertThat(entry().endpoints()).isEqualTo(at(1));
  }

  @Test
  void looksAreApart() {
    has(2);

    nodes.refresh(entry(), List.of());
    scheduler.advance(EndpointUpdater.INTERVAL.minusNanos(1));
    nodes.refresh(entry(), List.of());

    assertThat(entry().endpoints()).isEqualTo(at(1));
  }

  @Test
  void whatAnOperatorEnteredMeanwhileStays() {
    SiteEntry early = entry();
    has(2);
    looks();
    assertThat(definitions.sites().replace(early.at(at(7))).toCompletableFuture().join()).isTrue();

    nodes.refresh(early, List.of());

    assertThat(entry().endpoints()).isEqualTo(at(7));
  }

  /** A site reports its nodes with answers only, and a process that just started has had none. */
  @Test
  void aSiteThatHasToldNothingIsAskedForAStore() {
    StoredDefinition cache =
        StoredDefinition.first(
            CacheDefinition.of("s", Mode.WEAK).sites("a").build(),
            definitions.id().toCompletableFuture().join() + "000000000001",
            Map.of("a", "0000000a"));
    site.stores.put(cache.store("a").orElseThrow(), StoreKind.PLAIN);
    site.nodesOnceOpen = addresses(4);
    site.fails = Reason.UNREACHABLE;
    looks(cache);
    assertThat(entry().endpoints()).isEqualTo(at(1));

    site.fails = null;
    looks(cache);
    looks(cache);

    assertThat(entry().endpoints()).isEqualTo(at(4));
    assertThat(site.stores).doesNotContainKey(EndpointUpdater.ON_ALL_NODES);
  }

  /** A store on one node does not show other nodes. */
  @Test
  void whereEachStoreIsOneNodesAnEmptyOneIsCreatedOnAll() {
    StoredDefinition cache =
        StoredDefinition.first(
            CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build(),
            definitions.id().toCompletableFuture().join() + "000000000001",
            Map.of("a", "0000000a000000aa"));
    site.stores.put(cache.store("a").orElseThrow(), StoreKind.REPLICA);
    site.nodesOnceOpen = addresses(4);

    for (int i = 0; i < 3; i++) {
      looks(cache);
    }

    assertThat(entry().endpoints()).isEqualTo(at(4));
    assertThat(site.stores).containsKey(EndpointUpdater.ON_ALL_NODES);
  }
}
