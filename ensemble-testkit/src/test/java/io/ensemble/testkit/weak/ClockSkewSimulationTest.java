package io.ensemble.testkit.weak;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ClockSkewException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakEngine;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakReplica;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A WEAK cache of which one client's clock shows the year 2100. A failure names its seed. */
@Execution(ExecutionMode.CONCURRENT)
class ClockSkewSimulationTest {

  private static final int SEEDS = 20;
  private static final int KEYS = 8;
  private static final int OPERATIONS = 60;
  private static final String STORE = "c.1";
  private static final long YEARS_MICROS = Duration.ofDays(74 * 365).toNanos() / 1000;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final WeakOptions OPTIONS =
      WeakOptions.DEFAULTS.withComparison(
          new WeakOptions.Comparison(
              Duration.ofHours(1), Duration.ZERO, Duration.ofDays(1), 4, 10));

  private int rejected;

  @Test
  void itMovesNoOtherClockAndTombstonesArePurged() {
    for (long seed = 0; seed < SEEDS; seed++) {
      run(seed);
    }
    assertThat(rejected).as("writes that would have lost").isPositive();
  }

  private void run(long seed) {
    SimFederation federation =
        SimFederation.builder()
            .sites("lyon", "oslo", "rome")
            .clients(3)
            .seed(seed)
            .maxSkewMicros(300_000)
            .traceLines(0)
            .build();
    federation.createStore(STORE, StoreKind.PLAIN);
    List<SimClient> processes = federation.clients();
    WeakEngine ill = engine(federation, processes.get(0), YEARS_MICROS);
    List<WeakEngine> healthy =
        List.of(engine(federation, processes.get(1), 0), engine(federation, processes.get(2), 0));

    for (int i = 0; i < OPERATIONS; i++) {
      // The client in the year 2100 also writes half of the keys.
      write(federation, processes.get(0), ill, 2 * processes.get(0).random().nextInt(KEYS / 2));
      for (int client = 0; client < healthy.size(); client++) {
        SimClient process = processes.get(client + 1);
        WeakEngine engine = healthy.get(client);
        read(federation, process, engine, process.random().nextInt(KEYS));
        write(federation, process, engine, process.random().nextInt(KEYS));
      }
    }
    pass(federation, processes.get(1), Duration.ofSeconds(10));
    federation.get(healthy.get(0).reconcile(), LONG);
    long soon = processes.get(1).scheduler().epochMicros() + HybridClock.MAX_SKEW.toNanos() / 1000;
    for (String site : federation.siteNames()) {
      entries(federation, site)
          .forEach(
              (key, entry) ->
                  assertThat(entry.stamp().micros() > soon)
                      .as("seed=%d site=%s key=%s %s", seed, site, key, entry.stamp())
                      .isEqualTo(isShared(key)));
    }

    for (int key = 0; key < KEYS; key++) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(5), processes.get(1).scheduler());
      assertThat(federation.get(healthy.get(0).write(key(key), null, deadline), LONG))
          .as("seed=%d key=%d", seed, key)
          .isInstanceOf(WriteOutcome.Applied.class);
    }
    pass(federation, processes.get(1), Duration.ofHours(2));
    federation.get(healthy.get(1).reconcile(), LONG);
    for (String site : federation.siteNames()) {
      assertThat(entries(federation, site)).as("seed=%d site=%s", seed, site).isEmpty();
    }
  }

  /** The simulated clock advances only from task to task. */
  private static void pass(SimFederation federation, SimClient process, Duration time) {
    process.scheduler().after(time.toNanos(), () -> {});
    federation.run(time.plusSeconds(1));
  }

  private static boolean isShared(Bytes key) {
    return Integer.parseInt(new String(key.array(), UTF_8).substring(1)) % 2 == 0;
  }

  private static WeakEngine engine(SimFederation federation, SimClient process, long skewMicros) {
    List<WeakReplica> replicas =
        federation.stores(process, STORE, StoreKind.PLAIN).entrySet().stream()
            .<WeakReplica>map(site -> replica(site.getKey(), site.getValue()))
            .toList();
    return new WeakEngine(
        "c",
        replicas,
        process.random().nextInt(replicas.size()),
        process.scheduler(),
        new HybridClock(() -> process.scheduler().epochMicros() + skewMicros),
        new WriterId(process.random().nextLong(), process.random().nextLong()),
        OPTIONS,
        WeakMetrics.NONE);
  }

  private static WeakReplica replica(String site, SiteStore store) {
    return new WeakReplica() {
      @Override
      public String site() {
        return site;
      }

      @Override
      public Optional<SiteStore> store() {
        return Optional.of(store);
      }
    };
  }

  private static void read(
      SimFederation federation, SimClient process, WeakEngine engine, int key) {
    federation.get(
        engine.read(key(key), Deadline.after(Duration.ofSeconds(5), process.scheduler())), LONG);
  }

  private void write(SimFederation federation, SimClient process, WeakEngine engine, int key) {
    Payload value = new Payload(Bytes.of(process.name().getBytes(UTF_8)), 0);
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), process.scheduler());
    federation.get(
        engine
            .write(key(key), value, deadline)
            .handle(
                (outcome, failure) -> {
                  Throwable why =
                      failure instanceof CompletionException ? failure.getCause() : failure;
                  assertThat(why).isIn(null, why instanceof ClockSkewException ? why : null);
                  rejected += why == null ? 0 : 1;
                  return true;
                }),
        LONG);
  }

  private static Bytes key(int number) {
    return Bytes.of(("k" + number).getBytes(UTF_8));
  }

  private static Map<Bytes, Envelope> entries(SimFederation federation, String site) {
    return federation.contents(site, STORE).orElseThrow().entrySet().stream()
        .collect(
            Collectors.toMap(Map.Entry::getKey, e -> EnvelopeCodec.decode(e.getValue().value())));
  }
}
