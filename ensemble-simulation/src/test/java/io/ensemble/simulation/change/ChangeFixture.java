package io.ensemble.simulation.change;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.cache.weak.OpenWeakCache;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.Mover;
import io.ensemble.migrate.MoverContext;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.swmr.FlakyCatalog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A simulated federation with one cache that is changed by production code. */
final class ChangeFixture {

  static final Duration LIMIT = Duration.ofMinutes(30);

  private final SimFederation federation;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final ConfigurationLeaseRules trust;
  private final ChangeRules rules;
  private int tokens = 1;

  ChangeFixture(
      long seed, MessageFaults messageFaults, ConfigurationLeaseRules trust, ChangeRules rules) {
    this.trust = trust;
    this.rules = rules;
    federation =
        SimFederation.builder()
            .sites("s0", "s1", "s2", "s3")
            .clients(0)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(SimFaultPlan.of(messageFaults))
            .build();
  }

  static CacheDefinition weak(String... sites) {
    return CacheDefinition.of("c", Mode.WEAK)
        .sites(sites)
        .acknowledgement(Acknowledgement.MAJORITY)
        .deadline(Duration.ofSeconds(4))
        .build();
  }

  static CacheDefinition strong(String... sites) {
    return CacheDefinition.of("c", Mode.MWMR).sites(sites).deadline(Duration.ofSeconds(4)).build();
  }

  static CacheDefinition single(String... sites) {
    return CacheDefinition.of("c", Mode.SWMR).sites(sites).deadline(Duration.ofSeconds(4)).build();
  }

  SimFederation federation() {
    return federation;
  }

  StoredDefinition stored() {
    return definitions.get("c").toCompletableFuture().join().orElseThrow();
  }

  void create(CacheDefinition definition) {
    SimClient client = federation.newClient();
    Catalog catalog =
        new Catalog(
            SiteDirectory.of(client.sites()), definitions, client.scheduler(), this::newToken);
    Deadline deadline = Deadline.after(Duration.ofSeconds(30), client.scheduler());
    federation.get(catalog.create(definition, deadline), LIMIT);
  }

  private String newToken() {
    return "%08x".formatted(tokens++);
  }

  private static WriterId writer(SimClient client) {
    return new WriterId(client.random().nextLong(), client.random().nextLong());
  }

  /** Opens the cache in a process. */
  ConfigurationFollower open(SimClient client) {
    return open(client, () -> false);
  }

  /**
   * Opens the cache in a process.
   *
   * @param away whether the process cannot read the record at the moment
   */
  ConfigurationFollower open(SimClient client, BooleanSupplier away) {
    DefinitionWatch watch =
        new DefinitionWatch(stored(), new FlakyCatalog(definitions, away), client.scheduler());
    ConfigurationFollower follower =
        new ConfigurationFollower(
            new ConfigurationFollower.FollowerContext(
                SiteDirectory.of(client.sites()),
                ChangeFixture::engine,
                Optional.empty(),
                client.scheduler(),
                new HybridClock(client.scheduler()::epochMicros),
                () -> writer(client),
                CacheMetrics.of(null, "c", Mode.MWMR),
                trust),
            watch);
    watch.start();
    return follower;
  }

  private static EngineFactory engine(Mode mode) {
    return switch (mode) {
      case WEAK -> OpenWeakCache::open;
      case SWMR -> OpenSwmrCache::open;
      case MWMR -> MwmrEngine::open;
    };
  }

  private MoverContext means(SimClient client, Consumer<ChangeAction> told) {
    return new MoverContext(
        SiteDirectory.of(client.sites()),
        definitions,
        client.scheduler(),
        new HybridClock(client.scheduler()::epochMicros),
        this::newToken,
        rules,
        told);
  }

  /**
   * Writes a change to {@code to} into the record and starts its mover, with a bound on its rate.
   */
  Mover alter(SimClient client, CacheDefinition to, long rate, Consumer<ChangeAction> told) {
    WriterId writer = writer(client);
    Map<String, String> lives = new TreeMap<>();
    to.sites().forEach(site -> lives.put(site, newToken()));
    ConfigurationChange begun =
        ConfigurationChange.begun(to, lives, Mover.owner(writer), new TreeSet<>()).paced(rate);
    StoredDefinition next = stored().with(Optional.of(begun));
    if (!definitions.replace(next).toCompletableFuture().join()) {
      throw new AssertionError("nobody else changes the record");
    }
    Mover mover = new Mover(means(client, told), writer, next);
    client.scheduler().execute(mover::start);
    return mover;
  }

  /**
   * Starts a mover that waits until the present mover is silent, and then takes the change over.
   */
  Mover join(SimClient client) {
    Mover mover = new Mover(means(client, errand -> {}), writer(client), stored());
    client.scheduler().execute(mover::start);
    return mover;
  }

  /** Starts another mover, which takes the change over immediately. */
  Mover resume(SimClient client) {
    Mover mover = new Mover(means(client, errand -> {}), writer(client), stored());
    client
        .scheduler()
        .execute(() -> mover.takeOver().thenRunAsync(mover::start, client.scheduler()));
    return mover;
  }

  /** Restarts the change with another mover. */
  Mover restart(SimClient client, Consumer<ChangeAction> told) {
    Mover mover = new Mover(means(client, told), writer(client), stored());
    federation.get(mover.restart(), LIMIT);
    client.scheduler().execute(mover::start);
    return mover;
  }
}
