package io.ensemble.benchmarks.measure;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest.ContestResults;
import io.ensemble.benchmarks.contest.Contest.ContestantResult;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Grant;
import io.ensemble.objects.sync.SharedCounter;
import io.ensemble.objects.sync.Synchronizers;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;

/**
 * Question: which store is the better one for atomic objects on one cluster?
 *
 * <p>Command: {@code java -cp 'benchmarks/target/lib/*' io.ensemble.benchmarks.Measure
 * object-stores}.
 *
 * <p>The stores are an {@link EnsembleObjectStore} on an MWMR cache with three replicas, each on
 * one node, and a {@link HotRodObjectStore} on an optimistic cache with two owners, both on one
 * site of three nodes. Two factories represent two processes, each with connections of its own.
 */
final class ObjectStoreBenchmark {

  private static final String SITE = FederationProcess.SITES.get(0);
  private static final int COUNTERS = 64;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** The operations on objects. */
  private enum ObjectWorkload {
    ALONE("one counter, one thread of one process", 1, 1.2),
    DISTINCT("64 counters, 8 threads of one process", 8, 1.2),
    SHARED("one counter, 4 threads of each of two processes", 8, 0),
    HANDED_OVER("one lock, one thread of each of two processes", 2, 0);

    final String title;
    final int threads;

    /** The required minimum of the ratio, set before the measurement; 0 for none. */
    final double expected;

    ObjectWorkload(String title, int threads, double expected) {
      this.title = title;
      this.threads = threads;
      this.expected = expected;
    }
  }

  /**
   * One line of the answer.
   *
   * @param expected the required minimum, set before the measurement; 0 for none
   * @param ratio the rate of replicas to that of the optimistic cache
   * @param showings of replicas, and of the optimistic cache
   */
  public record Line(
      String play,
      int threads,
      double expected,
      RatioSpread ratio,
      List<ContestantResult> showings) {}

  private ObjectStoreBenchmark() {}

  static BenchmarkResult answer(BenchmarkOptions benchmarkOptions, FederationProcess federation) {
    List<Line> lines = new ArrayList<>();
    try (StoreClients replicas = replicatedClients(federation);
        StoreClients optimistic = optimisticClients(federation)) {
      for (ObjectWorkload workload : ObjectWorkload.values()) {
        benchmarkOptions.say("%s", workload.title);
        ContestResults standings =
            benchmarkOptions
                .contest(workload.threads)
                .run(
                    List.of(replicas.contender(workload), optimistic.contender(workload)), Map::of);
        lines.add(
            new Line(
                workload.title,
                workload.threads,
                workload.expected,
                standings.ratio(0, 1),
                standings.showings()));
      }
    }
    return new BenchmarkResult(lines, table(lines));
  }

  /** A process that uses objects. */
  private record FactoryUser(AtomicObjectFactory factory, AutoCloseable connections) {}

  /** Two processes that use the same objects. */
  private static final class StoreClients implements AutoCloseable {

    private final String name;
    private final List<FactoryUser> users;
    private final List<List<SharedCounter>> counters;
    private final List<FencedLock> locks;

    StoreClients(String name, List<FactoryUser> users) {
      this.name = name;
      this.users = users;
      List<Synchronizers> shared =
          users.stream().map(user -> Synchronizers.on(user.factory())).toList();
      counters =
          shared.stream()
              .map(
                  each ->
                      IntStream.range(0, COUNTERS).mapToObj(i -> each.counter("c" + i)).toList())
              .toList();
      locks = shared.stream().map(each -> each.lock("lock")).toList();
    }

    Contender contender(ObjectWorkload workload) {
      return new Contender(name, operation(workload));
    }

    private LongConsumer operation(ObjectWorkload workload) {
      return switch (workload) {
        case ALONE -> number -> counters.get(0).get(0).incrementAndGet();
        case DISTINCT -> number -> counters.get(0).get(index(number, COUNTERS)).incrementAndGet();
        case SHARED -> number -> counters.get(index(number, 2)).get(1).incrementAndGet();
        case HANDED_OVER -> number -> hold(locks.get(index(number, 2)));
      };
    }

    private static int index(long number, int count) {
      return (int) Math.floorMod(number, (long) count);
    }

    private static void hold(FencedLock lock) {
      try {
        Grant grant = lock.acquire(LONGEST_WAIT).orElseThrow();
        grant.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      for (FactoryUser user : users) {
        user.factory().close();
        try {
          user.connections().close();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static StoreClients replicatedClients(FederationProcess federation) {
    InMemoryDefinitions definitions = new InMemoryDefinitions();
    CacheDefinition cache =
        CacheDefinition.of("objects-" + UUID.randomUUID(), Mode.MWMR).sites(SITE).build();
    List<FactoryUser> users = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      CountedClient client = new CountedClient(federation.sites(), definitions);
      users.add(
          new FactoryUser(
              AtomicObjectFactory.on(new EnsembleObjectStore(client.<byte[]>cache(cache))),
              client));
    }
    return new StoreClients("three replicas", users);
  }

  private static StoreClients optimisticClients(FederationProcess federation) {
    SiteConfiguration site = federation.sites().get(0);
    String cache = "objects-" + UUID.randomUUID();
    List<FactoryUser> users = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      ConfigurationBuilder builder = new ConfigurationBuilder();
      site.endpoints().forEach(at -> builder.addServer().host(at.host()).port(at.port()));
      RemoteCacheManager manager = new RemoteCacheManager(builder.build());
      users.add(
          new FactoryUser(
              AtomicObjectFactory.on(
                  new HotRodObjectStore(HotRodObjectStore.cache(manager, cache))),
              manager));
    }
    return new StoreClients("optimistic cache", users);
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add("| calls | three replicas to optimistic cache | min..max | expected |");
    table.add("|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | **%.2f** | %.2f..%.2f | %s |",
              line.play(),
              line.ratio().median(),
              line.ratio().min(),
              line.ratio().max(),
              line.expected() == 0 ? "" : ">= " + line.expected()));
    }
    table.add("");
    table.add("| calls | store | p50 / p99 / p99.9 µs | calls /s |");
    table.add("|---|---|---|---|");
    for (Line line : lines) {
      line.showings().forEach(showing -> table.add(showing.row(line.play())));
    }
    return table;
  }
}
