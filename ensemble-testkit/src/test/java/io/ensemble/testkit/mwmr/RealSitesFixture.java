package io.ensemble.testkit.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.StoreIntactException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** Processes that use one MWMR cache of real sites, in real time, and their recorded history. */
final class RealSitesFixture implements AutoCloseable {

  static final int KEYS = 20;
  private static final int USERS = 4;
  private static final int MOST_OPERATIONS = 400_000;

  final EmbeddedFederation federation;
  final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final CacheDefinition definition;
  final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, MOST_OPERATIONS);
  private final AtomicLong values = new AtomicLong();
  private final AtomicInteger tokens = new AtomicInteger();
  final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
  final AtomicInteger unanswered = new AtomicInteger();
  private final List<Process> processes = new ArrayList<>();
  private final ExecutorService users = Executors.newCachedThreadPool();
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean stopping;

  RealSitesFixture(EmbeddedFederation.Options options) {
    federation = EmbeddedFederation.start(options);
    definition =
        CacheDefinition.of("accounts", Mode.MWMR)
            .sites(options.siteNames())
            .deadline(Duration.ofSeconds(3))
            .build();
  }

  /** Starts several users of one process, each with one operation after the other. */
  void work(Process process) {
    for (int i = 0; i < USERS; i++) {
      int seed = running.size();
      running.add(users.submit(() -> use(process, seed)));
    }
  }

  /** Lets every user finish its operation, and stops. */
  void stopWork() throws Exception {
    stopping = true;
    for (Future<?> user : running) {
      user.get(20, TimeUnit.SECONDS);
    }
  }

  /** The index of the node that holds the replica of a site. */
  int holder(String site) {
    String store =
        await(definitions.get(definition.name())).orElseThrow().store(site).orElseThrow();
    List<Endpoint> nodes = endpoints(federation.site(site));
    for (int i = 0; i < nodes.size(); i++) {
      if (store.endsWith(HotRod.nodeAt(nodes.get(i)))) {
        return i;
      }
    }
    throw new AssertionError("no node has the store; store=" + store + " nodes=" + nodes);
  }

  private static List<Endpoint> endpoints(EmbeddedSite site) {
    return site.endpoints().stream()
        .map(node -> new Endpoint(node.getHostString(), node.getPort()))
        .toList();
  }

  @Override
  public void close() {
    stopping = true;
    users.shutdownNow();
    processes.forEach(Process::close);
    federation.close();
  }

  /** One process that has the cache open. */
  final class Process {

    final ThreadScheduler scheduler = new ThreadScheduler();
    final Map<String, Site> sites = new LinkedHashMap<>();
    final Catalog catalog;
    final MwmrEngine engine;

    Process() {
      for (EmbeddedSite site : federation.sites()) {
        SiteConfiguration.Builder builder = SiteConfiguration.builder(site.name());
        endpoints(site).forEach(builder::endpoint);
        sites.put(site.name(), HotRod.connect(builder.build(), scheduler));
      }
      SiteDirectory directory = SiteDirectory.of(sites);
      catalog =
          new Catalog(
              directory, definitions, scheduler, () -> "%08x".formatted(tokens.incrementAndGet()));
      StoredDefinition stored = await(catalog.create(definition, in(20_000)));
      DefinitionWatch watch = new DefinitionWatch(stored, definitions, scheduler);
      List<StoreHandle> handles = new ArrayList<>();
      for (String replica : stored.definition().sites()) {
        handles.add(new SiteHandle(directory.of(replica), watch, scheduler, CacheMetrics.NONE));
      }
      SplittableRandom random = new SplittableRandom(System.nanoTime());
      engine =
          MwmrEngine.open(
              new EngineContext(
                  stored.definition(),
                  handles,
                  Optional.empty(),
                  scheduler,
                  new HybridClock(scheduler::epochMicros),
                  new WriterId(random.nextLong(), random.nextLong()),
                  CacheMetrics.NONE));
      processes.add(this);
    }

    /** Replaces each replica whose store is lost, and returns when all are whole. */
    void recoverLost() {
      StoredDefinition stored = await(definitions.get(definition.name())).orElseThrow();
      for (String replica : stored.definition().sites()) {
        Awaitility.await(replica).atMost(Duration.ofSeconds(60)).until(() -> isWhole(replica));
      }
    }

    private boolean isWhole(String replica) {
      StoredDefinition stored = await(definitions.get(definition.name())).orElseThrow();
      try {
        await(catalog.recover(stored, replica, engine, in(20_000)));
        return true;
      } catch (CompletionException e) {
        return e.getCause() instanceof StoreIntactException; // The site may be starting.
      }
    }

    Deadline in(long millis) {
      return Deadline.after(Duration.ofMillis(millis), scheduler);
    }

    void close() {
      engine.close();
      sites.values().forEach(Site::close);
      scheduler.close();
    }
  }

  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(40, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new CompletionException(CompletionCause.of(e));
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("not completed in 40 s", e);
    }
  }

  static void pass(Process by, long millis) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    by.scheduler.after(Duration.ofMillis(millis).toNanos(), () -> passed.complete(null));
    await(passed);
  }

  private void use(Process process, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] seen = new long[KEYS];
    long client = recorder.newClient();
    while (!stopping) {
      if (random.nextInt(10) == 0) {
        putOnce(process);
      }
      int key = random.nextInt(KEYS);
      MwmrCall call = MwmrCall.random(random, values.incrementAndGet(), seen[key], 0);
      Pending pending = recorder.begin(client, "k" + key, call.op(), call.in());
      client =
          end(
              pending,
              seen,
              key,
              call.ask().of(process.engine, HistoryPayloads.key("k" + key), process.in(3_000)));
    }
  }

  private long end(
      Pending pending, long[] seen, int key, CompletionStage<WriteOutcome<Object>> stage) {
    WriteOutcome<Object> outcome;
    try {
      outcome = await(stage);
    } catch (CompletionException e) {
      if (e.getCause() instanceof QuorumUnavailableException) {
        unanswered.incrementAndGet();
        return pending.failed();
      }
      throw e;
    }
    if (outcome instanceof WriteOutcome.Applied<Object> applied) {
      if (applied.result() instanceof Long value) {
        seen[key] = value;
      }
      return pending.ok(applied.result());
    }
    unanswered.incrementAndGet();
    return outcome instanceof WriteOutcome.Refused ? pending.failed() : pending.unknown();
  }

  /** Writes a key that no other call writes, to check at the end that it is present. */
  private void putOnce(Process process) {
    long value = values.incrementAndGet();
    String key = "only" + value;
    Payload payload = HistoryPayloads.payload(value);
    WriteOutcome<Void> outcome =
        await(process.engine.write(HistoryPayloads.key(key), payload, process.in(3_000)));
    if (outcome instanceof WriteOutcome.Applied) {
      acknowledged.put(key, value);
    }
  }
}
