package io.ensemble.simulation.repartition;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.cache.distributed.RepartitionFence;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.codec.Codec;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.PartMover;
import io.ensemble.migrate.RepartitionExecutor;
import io.ensemble.partition.InstalledPartitioners;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.repartition.Repartition;
import io.ensemble.repartition.RepartitionAction;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A simulated federation with a distributed cache whose parts are changed by production code. */
final class RepartitionFixture {

  static final Duration LIMIT = Duration.ofMinutes(30);
  static final DistributedDefinition THREE = DistributedDefinition.of("d", "p", "q", "r");

  private static final List<String> PARTS = List.of("p", "q", "r", "s");
  private static final String BIRTH = "00000000000000b1";
  private static final Codec CODEC = new Codec(List.of());
  private static final InstalledPartitioners PARTITIONERS = InstalledPartitioners.with(List.of());

  private final SimFederation federation;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final RepartitionRules rules;
  private int tokens = 1;

  RepartitionFixture(
      long seed, MessageFaults messageFaults, RepartitionRules rules, DistributedDefinition first) {
    this.rules = rules;
    federation =
        SimFederation.builder()
            .sites("s0", "s1", "s2")
            .clients(0)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(SimFaultPlan.of(messageFaults))
            .build();
    SimClient client = federation.newClient();
    Catalog catalog =
        new Catalog(
            SiteDirectory.of(client.sites()), definitions, client.scheduler(), this::newToken);
    for (String part : PARTS) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(30), client.scheduler());
      CacheDefinition definition =
          CacheDefinition.of(part, Mode.MWMR)
              .sites("s0", "s1", "s2")
              .deadline(Duration.ofSeconds(4))
              .build();
      federation.get(catalog.create(definition, deadline), LIMIT);
    }
    definitions.distributions().create(new StoredDistribution(first, BIRTH).withFence());
  }

  private String newToken() {
    return "%08x".formatted(tokens++);
  }

  SimFederation federation() {
    return federation;
  }

  StoredDistribution stored() {
    return definitions.distributions().get("d").toCompletableFuture().join().orElseThrow();
  }

  /** Keys of which the first {@code moving} move from {@code from} to {@code to}, no others. */
  static List<String> keys(
      DistributedDefinition from, DistributedDefinition to, int moving, int staying) {
    List<String> keys = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (int i = 0; keys.size() < moving || others.size() < staying; i++) {
      String key = "k" + i;
      boolean moves = !part(from, key).equals(part(to, key));
      if (moves ? keys.size() < moving : others.size() < staying) {
        (moves ? keys : others).add(key);
      }
    }
    keys.addAll(others);
    return keys;
  }

  static String part(DistributedDefinition definition, String key) {
    return definition
        .parts()
        .get(
            PARTITIONERS
                .partitioner(definition.partitioner(), definition.parts())
                .part(PartitionedKey.opaque(HistoryPayloads.key(key).array())));
  }

  /** A process that has all parts and the distributed cache open. */
  final class Process {

    final SimClient client;
    final DistributedEngine engine;
    private final Map<String, CacheInstance> faces = new LinkedHashMap<>();
    private final BooleanSupplier away;

    private Process(SimClient client, BooleanSupplier away) {
      this.client = client;
      this.away = away;
      for (String part : PARTS) {
        faces.put(part, open(part));
      }
      PartitionTable first = dealt(stored());
      RepartitionFence fence =
          new RepartitionFence(rules.trust(), BIRTH, first, client.scheduler(), this::look);
      engine = new DistributedEngine(first, null, CODEC, fence);
      again();
    }

    private CacheInstance open(String part) {
      StoredDefinition stored = definitions.get(part).toCompletableFuture().join().orElseThrow();
      DefinitionWatch watch = new DefinitionWatch(stored, definitions, client.scheduler());
      ConfigurationFollower follower =
          new ConfigurationFollower(
              new ConfigurationFollower.FollowerContext(
                  SiteDirectory.of(client.sites()),
                  mode -> MwmrEngine::open,
                  Optional.empty(),
                  client.scheduler(),
                  new HybridClock(client.scheduler()::epochMicros),
                  () -> writer(client),
                  CacheMetrics.of(null, part, Mode.MWMR),
                  ConfigurationLeaseRules.STANDARD),
              watch);
      return new CacheInstance(
          stored.definition(),
          follower.engine(),
          CODEC,
          client.scheduler(),
          CacheMetrics.NONE,
          client.scheduler()::epochMicros,
          () -> {});
    }

    private void again() {
      client
          .scheduler()
          .after(
              5_000_000_000L,
              () -> {
                look();
                again();
              });
    }

    private void look() {
      if (!away.getAsBoolean()) {
        client.scheduler().execute(() -> engine.deal(dealt(stored())));
      }
    }

    private PartitionTable dealt(StoredDistribution stored) {
      return new PartitionTable(
          stored.revision(),
          stored.generation(),
          side(stored.definition()),
          stored
              .growth()
              .map(g -> new PartitionTable.PendingRepartition(g, side(g.to())))
              .orElse(null));
    }

    private PartitionTable.Side side(DistributedDefinition definition) {
      return new PartitionTable.Side(
          definition,
          definition.parts().stream().map(faces::get).toList(),
          PARTITIONERS.partitioner(definition.partitioner(), definition.parts()));
    }

    private PartMover mover(
        String owner, StoredDistribution stored, Consumer<RepartitionAction> told) {
      PartitionTable.Side from = side(stored.definition());
      PartitionTable.Side to =
          side(stored.growth().map(Repartition::to).orElse(stored.definition()));
      Map<String, java.util.function.Supplier<io.ensemble.cache.CacheEngine>> engines =
          new LinkedHashMap<>();
      faces.forEach((part, open) -> engines.put(part, open::running));
      return new PartMover(
          new PartMover.PartMoverContext(
              definitions.distributions(), client.scheduler(), rules, told, next -> look()),
          owner,
          stored,
          new RepartitionExecutor.Parts(
              engines, key -> from.part(engine.seen(key)), key -> to.part(engine.seen(key))));
    }

    /** Writes a change to {@code to} into the record and starts its mover. */
    PartMover alter(DistributedDefinition to, Consumer<RepartitionAction> told) {
      String owner = "mover" + newToken();
      StoredDistribution next = stored().with(Repartition.begun(to, owner));
      if (!definitions.distributions().replace(next).toCompletableFuture().join()) {
        throw new AssertionError("nobody else changes the record");
      }
      PartMover mover = mover(owner, next, told);
      client.scheduler().execute(mover::start);
      return mover;
    }

    /** Starts another mover, which takes the change over immediately. */
    PartMover resume() {
      PartMover mover = mover("mover" + newToken(), stored(), errand -> {});
      client
          .scheduler()
          .execute(() -> mover.takeOver().thenRunAsync(mover::start, client.scheduler()));
      return mover;
    }

    /** The cache that is one part. */
    CacheInstance part(String name) {
      return faces.get(name);
    }
  }

  private static WriterId writer(SimClient client) {
    return new WriterId(client.random().nextLong(), client.random().nextLong());
  }

  /**
   * Starts a process.
   *
   * @param away whether the process cannot read the record at the moment
   */
  Process process(BooleanSupplier away) {
    return new Process(federation.newClient(), away);
  }

  Process process() {
    return process(() -> false);
  }
}
