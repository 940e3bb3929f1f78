package io.ensemble.benchmarks.objects;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.benchmarks.objects.worker.Contestant;
import io.ensemble.benchmarks.objects.worker.WorkerEndpoints;
import io.ensemble.benchmarks.objects.worker.WorkerProcess;
import io.ensemble.benchmarks.objects.worker.WorkerReport;
import io.ensemble.benchmarks.objects.worker.WorkerTask;
import io.ensemble.benchmarks.process.TemporaryDirectory;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.link.WanProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Question: how many requests does each server get for a step of an object, by the number of
 * servers?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure object-requests}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix E, figure 3: compare-and-swaps of distinct objects, with one client each,
 * on 3 to 12 servers. Here requests are counted, not timed, because the servers share a machine.
 * The objects are in an MWMR cache with three replicas, which has shards so that its replicas are
 * on all servers. All servers of the site are embedded nodes of one process. Rival: ZooKeeper with
 * three servers, where each step needs all of them, and more servers do not reduce that.
 */
public final class ObjectRequestBenchmark {

  /**
   * The requests of one system.
   *
   * @param steps the number of steps that were counted
   * @param perStep the requests of each server to a step of any object, from the least to the most;
   *     those in the background too
   * @param busiestMicros the processor time of the busiest server for a step of any object; of
   *     servers that share a process, its part by its requests
   * @param idlePerSecond the requests of all servers without steps, in a second
   */
  public record Line(
      String system,
      int servers,
      int objects,
      long steps,
      List<Double> perStep,
      double busiestMicros,
      double idlePerSecond) {

    public Line {
      perStep = List.copyOf(perStep);
    }

    /** The requests to all servers. */
    public double total() {
      return perStep.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The requests to the server with the most. */
    public double busiest() {
      return Collections.max(perStep);
    }
  }

  /**
   * The work of servers since their start.
   *
   * @param requests the requests of each server
   * @param processorTimes the processor time of each server, or of the only process
   */
  record ServerWork(long nanoTime, List<Long> requests, List<Duration> processorTimes) {

    /** The difference from an earlier moment. */
    Line since(ServerWork before, String system, int objects, long steps, double idlePerSecond) {
      List<Double> perStep = new ArrayList<>();
      for (int i = 0; i < requests.size(); i++) {
        perStep.add((requests.get(i) - before.requests.get(i)) / (double) steps);
      }
      Collections.sort(perStep);
      double busiestMicros = 0;
      for (int i = 0; i < processorTimes.size(); i++) {
        double nanos = processorTimes.get(i).minus(before.processorTimes.get(i)).toNanos();
        busiestMicros = Math.max(busiestMicros, nanos / 1e3 / steps);
      }
      if (processorTimes.size() < requests.size()) {
        double all = perStep.stream().mapToDouble(Double::doubleValue).sum();
        busiestMicros *= Collections.max(perStep) / all;
      }
      return new Line(
          system, requests.size(), objects, steps, perStep, busiestMicros, idlePerSecond);
    }

    double requestsPerSecond(ServerWork before) {
      return (sum(requests) - sum(before.requests)) * 1e9 / (nanoTime - before.nanoTime);
    }

    private static long sum(List<Long> counts) {
      return counts.stream().mapToLong(Long::longValue).sum();
    }
  }

  private static final String SITE = FederationProcess.SITES.get(0);

  /** More shards spread replicas more evenly; each costs a cache at every node. */
  private static final int SHARDS_PER_SERVER = 4;

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private ObjectRequestBenchmark() {}

  /** Counts. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    List<Line> lines = new ArrayList<>();
    for (int servers : benchmarkOptions.objectPlan().servers()) {
      lines.add(ofObjects(benchmarkOptions, servers));
    }
    lines.add(ofZooKeeper(benchmarkOptions));
    return new BenchmarkResult(lines, table(lines));
  }

  private static Line ofObjects(BenchmarkOptions benchmarkOptions, int servers) {
    benchmarkOptions.say("%d servers of one site", servers);
    try (FederationProcess federation =
            FederationProcess.start(servers, WanProfile.NONE, List.of(SITE));
        TemporaryDirectory catalog = TemporaryDirectory.make("ensemble-requests")) {
      String catalogPath = catalog.path().resolve("catalog").toString();
      SiteConfiguration site = federation.sites().get(0);
      benchmarkOptions.say("creating %d shards", SHARDS_PER_SERVER * servers);
      try (EnsembleCacheManager manager =
          EnsembleCacheManager.builder().site(site).localSite(SITE).catalog(catalogPath).build()) {
        manager.createSharded(
            CacheDefinition.of("objects", Mode.MWMR).sites(SITE).deadline(DEADLINE).build(),
            SHARDS_PER_SERVER * servers);
      }
      List<String> addresses =
          site.endpoints().stream().map(at -> at.host() + ":" + at.port()).toList();
      return counted(
          benchmarkOptions,
          Contestant.OBJECT_REGISTER,
          number -> new WorkerEndpoints(addresses, catalogPath, "", "", null),
          () ->
              new ServerWork(
                  System.nanoTime(),
                  federation.responses(SITE),
                  List.of(federation.processorTime())));
    }
  }

  private static Line ofZooKeeper(BenchmarkOptions benchmarkOptions) {
    benchmarkOptions.say("ZooKeeper");
    try (TemporaryDirectory memory = TemporaryDirectory.inMemory("ensemble-requests");
        ZooKeeperServers servers = ZooKeeperServers.inMemory(memory.path(), Optional.empty())) {
      return counted(
          benchmarkOptions,
          Contestant.ZNODE_REGISTER,
          number -> new WorkerEndpoints(List.of(), "", servers.server(number), "", null),
          () -> new ServerWork(System.nanoTime(), servers.received(), servers.processorTimes()));
    }
  }

  /** The addresses for a process of clients. */
  private interface EndpointsOfProcess {
    WorkerEndpoints of(int number);
  }

  private static Line counted(
      BenchmarkOptions benchmarkOptions,
      Contestant contestant,
      EndpointsOfProcess endpoints,
      Supplier<ServerWork> work) {
    int objects = Collections.max(benchmarkOptions.objectPlan().objects());
    List<List<Integer>> clients = benchmarkOptions.objectPlan().shared(objects);
    List<WorkerProcess> workers = new ArrayList<>();
    try {
      for (int i = 0; i < clients.size(); i++) {
        workers.add(WorkerProcess.start(endpoints.of(i)));
      }
      WorkerTask task =
          ClosedLoopTasks.of("requests", benchmarkOptions).task(contestant, objects, 0);
      List<WorkerTask> tasks =
          IntStream.range(0, clients.size())
              .mapToObj(i -> task.of(clients.get(i), clients.size(), i))
              .toList();
      List<WorkerReport> opened = run(workers, tasks, WorkerTask.Kind.OPEN);
      long warmUpMillis = benchmarkOptions.objectPlan().warmUpMillis();
      long warm =
          done(
              run(
                  workers,
                  tasks.stream().map(each -> each.atLeast(warmUpMillis)).toList(),
                  WorkerTask.Kind.RUN));
      ServerWork before = work.get();
      long steps = done(run(workers, tasks, WorkerTask.Kind.RUN));
      ServerWork after = work.get();
      waitIdle(benchmarkOptions.sliceMillis());
      double idle = work.get().requestsPerSecond(after);
      List<WorkerReport> closed = run(workers, tasks, WorkerTask.Kind.CLOSE);
      long found = total(closed) - total(opened);
      if (found != warm + steps) {
        throw new IllegalStateException(
            "steps were lost, or made twice; contestant=%s acknowledged=%d found=%d"
                .formatted(contestant, warm + steps, found));
      }
      return after.since(before, contestant.title(), objects, steps, idle);
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  /** Waits while clients are open and idle. */
  private static void waitIdle(long millis) {
    try {
      boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while requests were counted", e);
    }
  }

  private static List<WorkerReport> run(
      List<WorkerProcess> workers, List<WorkerTask> tasks, WorkerTask.Kind kind) {
    return WorkerProcess.all(workers, tasks.stream().map(task -> task.of(kind)).toList());
  }

  private static long done(List<WorkerReport> reports) {
    return reports.stream().mapToLong(WorkerReport::done).sum();
  }

  private static long total(List<WorkerReport> reports) {
    return reports.stream().mapToLong(WorkerReport::total).sum();
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| | servers | objects | steps | requests a step | to the busiest server |"
            + " to a server, mean | to the least busy one | processor time of the busiest, µs |"
            + " without steps, a second |");
    table.add("|---|---|---|---|---|---|---|---|---|---|");
    for (Line line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | %d | %,d | %.2f | **%.2f** | %.2f | %.2f | %.0f | %.0f |",
              line.system(),
              line.servers(),
              line.objects(),
              line.steps(),
              line.total(),
              line.busiest(),
              line.total() / line.servers(),
              Collections.min(line.perStep()),
              line.busiestMicros(),
              line.idlePerSecond()));
    }
    return table;
  }
}
