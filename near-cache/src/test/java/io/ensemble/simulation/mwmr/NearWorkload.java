package io.ensemble.simulation.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.codec.Codec;
import io.ensemble.near.BuggyNearCache;
import io.ensemble.near.NearBug;
import io.ensemble.near.NearCache;
import io.ensemble.near.NearCacheSettings;
import io.ensemble.near.NearCacheStatistics;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.NearReads;
import io.ensemble.testkit.history.OperationHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Users of several processes read and write a few keys through near caches of an MWMR cache, under
 * faults of sites and messages. Processes are suspended now and then.
 */
final class NearWorkload {

  private static final Duration FAULTY = Duration.ofSeconds(6);
  private static final int OPERATIONS = 60;

  private final SimFederation federation;
  private final SplittableRandom random;
  private final NearBug bug;
  private final HistoryRecorder recorder;
  private final List<NearCache<String, Long>> opened = new ArrayList<>();
  private final Duration staleness;
  private final int keys;
  private final long gapNanos;
  private long lastValue;
  private int usersLeft;

  private NearWorkload(long seed, NearBug bug) {
    this.bug = bug;
    random = new SplittableRandom(seed);
    double lost = new double[] {0, 0.01, 0.05, 0.12}[random.nextInt(4)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(
                MessageFaults.lossy(lost)
                    .withDelay(Duration.ZERO, Duration.ofMillis(6), Duration.ofMillis(250)))
            .withEpisodes(random.nextInt(20))
            .withClientCrashes(0);
    int processes = 2 + random.nextInt(2);
    List<String> sites = List.of("lyon", "oslo", "rome");
    List<String> names = IntStream.range(0, processes).mapToObj(i -> "c" + i).toList();
    federation =
        SimFederation.builder()
            .sites(sites.toArray(String[]::new))
            .clients(processes)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(SimFaultPlan.random(seed, sites, names, FAULTY, faults))
            .build();
    staleness = Duration.ofMillis(new long[] {30, 300, 3_000}[random.nextInt(3)]);
    keys = 1 + random.nextInt(3);
    gapNanos = random.nextBoolean() ? 8_000_000 : 120_000_000;
    recorder = HistoryRecorder.inMemory(federation.scheduler()::nanos, 10_000);
    MwmrSimCache cache = new MwmrSimCache(federation, Duration.ofSeconds(1));
    for (SimClient client : federation.clients()) {
      NearCache<String, Long> near = near(cache, client);
      opened.add(near);
      int users = 1 + random.nextInt(3);
      for (int i = 0; i < users; i++) {
        usersLeft++;
        new User(near, client.scheduler(), client.random().split()).next(OPERATIONS);
      }
      suspendLater(client.scheduler());
    }
  }

  /** A run to its end. */
  static NearWorkload run(long seed, NearBug bug) {
    NearWorkload workload = new NearWorkload(seed, bug);
    workload.federation.run(() -> workload.usersLeft == 0, Duration.ofMinutes(60));
    workload.opened.forEach(NearCache::close);
    return workload;
  }

  private NearCache<String, Long> near(MwmrSimCache cache, SimClient client) {
    CacheInstance instance =
        new CacheInstance(
            cache.definition(),
            cache.open(client).engine(),
            new Codec(List.of()),
            client.scheduler(),
            CacheMetrics.NONE,
            client.scheduler()::epochMicros,
            () -> {});
    NearCacheSettings settings =
        random.nextBoolean()
            ? NearCacheSettings.lazy(100, 1 << 20, staleness)
            : NearCacheSettings.eager(100, 1 << 20, staleness);
    return BuggyNearCache.open(
        instance.cache(), settings.staleReads(), random.nextBoolean(), bug, client.scheduler());
  }

  private void suspendLater(SimScheduler process) {
    federation
        .scheduler()
        .after(
            random.nextLong(3_000_000_000L),
            () -> {
              process.suspend();
              federation
                  .scheduler()
                  .after(
                      random.nextLong(600_000_000L),
                      () -> {
                        process.wake();
                        suspendLater(process);
                      });
            });
  }

  /** One operation after the other. */
  private final class User {

    private final NearCache<String, Long> near;
    private final SimScheduler scheduler;
    private final SplittableRandom own;
    private long number = recorder.newClient();

    private User(NearCache<String, Long> near, SimScheduler scheduler, SplittableRandom own) {
      this.near = near;
      this.scheduler = scheduler;
      this.own = own;
    }

    private void next(int left) {
      if (left == 0) {
        usersLeft--;
        return;
      }
      scheduler.after(own.nextLong(1, gapNanos), () -> operate(left - 1));
    }

    private void operate(int left) {
      String key = "k" + own.nextInt(keys);
      var cache = near.cache().withDeadline(Duration.ofMillis(own.nextInt(8) == 0 ? 60 : 900));
      if (own.nextInt(10) < 7) {
        Pending read = recorder.begin(number, key, NearReads.OPERATION, staleness.toNanos());
        cache
            .async()
            .get(key)
            .whenComplete(
                (found, failure) -> {
                  number = failure == null ? read.ok(found.orElse(null)) : read.failed();
                  next(left);
                });
        return;
      }
      long value = ++lastValue;
      Pending write = recorder.begin(number, key, "write", value);
      (own.nextInt(4) == 0
              ? cache.withReturnValues().async().put(key, value)
              : cache.async().put(key, value))
          .whenComplete(
              (outcome, failure) -> {
                number = ended(write, outcome, failure);
                next(left);
              });
    }

    private long ended(Pending write, WriteOutcome<Long> outcome, Throwable failure) {
      if (outcome instanceof WriteOutcome.Applied<Long>) {
        return write.ok(null);
      }
      if (outcome instanceof WriteOutcome.Refused<Long>
          || CompletionCause.of(failure) instanceof QuorumUnavailableException) {
        return write.failed();
      }
      return write.unknown();
    }
  }

  /** What the users did and saw. */
  OperationHistory history() {
    return recorder.history();
  }

  /** How many reads sent no request. */
  long hits() {
    return opened.stream().map(NearCache::statistics).mapToLong(NearCacheStatistics::hits).sum();
  }

  /** How many entries were too old for a read. */
  long staleRefusals() {
    return opened.stream()
        .map(NearCache::statistics)
        .mapToLong(NearCacheStatistics::staleRefusals)
        .sum();
  }

  /** How many entries were dropped because of reports. */
  long invalidations() {
    return opened.stream()
        .map(NearCache::statistics)
        .mapToLong(NearCacheStatistics::invalidations)
        .sum();
  }
}
