package io.ensemble.testkit.weak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.sim.RandomFaults;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFaultPlan;
import io.ensemble.testkit.sim.SimFederation;
import io.ensemble.testkit.sim.SimScheduler;
import io.ensemble.testkit.weak.WeakHistory.Excuse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One simulated run: clients with skewed clocks use a few keys under faults. Then the faults end,
 * lost stores are refilled, and the sites are compared.
 */
final class WeakRun {

  static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static final String STORE = "c.1";
  private static final String NEXT_STORE = "c.2";
  private static final Duration TROUBLE = Duration.ofSeconds(8);
  private static final Duration LONG = Duration.ofMinutes(10);

  private final String parameters;
  private final long seed;
  private final SimFederation federation;
  private final WeakHistory history = new WeakHistory();
  private final List<WeakClient> clients = new ArrayList<>();
  private final Map<String, String> names = new LinkedHashMap<>();

  WeakRun(long seed, RandomFaults faults, WeakOptions options, int keys, int operations) {
    this.seed = seed;
    this.parameters =
        "seed=%d keys=%d operations=%d faults=%s options=%s%n"
            .formatted(seed, keys, operations, faults, options);
    int number = 4;
    List<String> clientNames = List.of("c0", "c1", "c2", "c3");
    federation =
        SimFederation.builder()
            .sites(SITES.toArray(String[]::new))
            .clients(number)
            .seed(seed)
            .maxSkewMicros(300_000)
            .traceLines(0)
            .plan(SimFaultPlan.random(seed, SITES, clientNames, TROUBLE, faults))
            .build();
    federation.createStore(STORE, StoreKind.PLAIN);
    SITES.forEach(site -> names.put(site, STORE));
    for (SimClient process : federation.clients()) {
      clients.add(
          new WeakClient(
              process,
              clients.size() % SITES.size(),
              federation.stores(process, STORE, StoreKind.PLAIN),
              options,
              history,
              keys,
              operations));
    }
  }

  WeakHistory history() {
    return history;
  }

  SimFederation federation() {
    return federation;
  }

  /** Runs until all faults have ended and all clients that did not crash have finished. */
  void work() {
    clients.forEach(WeakClient::start);
    federation.run(TROUBLE);
    federation.run(() -> clients.stream().filter(this::lives).allMatch(WeakClient::isDone), LONG);
    federation.run(Duration.ofMinutes(3));
  }

  /** Refills lost stores and compares the sites, in a client that did not crash. */
  AntiEntropyReport heal() {
    WeakClient survivor = clients.stream().filter(this::lives).findFirst().orElseThrow();
    SimClient process = process(survivor);
    for (String site : SITES) {
      if (federation.contents(site, STORE).isEmpty()) {
        clients.forEach(client -> client.use(site, null));
        Deadline deadline = Deadline.after(Duration.ofSeconds(10), process.scheduler());
        SiteStore fresh =
            federation.get(
                process.sites().get(site).create(NEXT_STORE, StoreKind.PLAIN, deadline), LONG);
        federation.get(survivor.engine().refill(site, fresh), LONG);
        names.put(site, NEXT_STORE);
        for (WeakClient client : clients) {
          client.use(
              site, federation.stores(process(client), NEXT_STORE, StoreKind.PLAIN).get(site));
        }
      }
    }
    return federation.get(survivor.engine().reconcile(), LONG);
  }

  /** The entries of each site. */
  Map<String, Map<Bytes, Envelope>> ends() {
    Map<String, Map<Bytes, Envelope>> ends = new LinkedHashMap<>();
    names.forEach(
        (site, store) -> {
          Map<Bytes, Envelope> entries = new LinkedHashMap<>();
          federation
              .contents(site, store)
              .orElseThrow()
              .forEach((key, entry) -> entries.put(key, EnvelopeCodec.decode(entry.value())));
          ends.put(site, entries);
        });
    return ends;
  }

  /**
   * Requires that the run kept the guarantee of WEAK; otherwise keeps its records in the directory
   * of failures.
   *
   * @param excuse the accepted reason for a missing acknowledged write
   */
  void requirePromiseKept(Excuse excuse, Class<?> test) {
    Map<String, Map<Bytes, Envelope>> ends = ends();
    FailureArtifacts.judge(
        () -> assertThat(history.judge(ends, excuse)).as("seed %d", seed).isEmpty(),
        () -> parameters + history.records(ends),
        test,
        seed);
  }

  private SimClient process(WeakClient client) {
    return federation.clients().get(clients.indexOf(client));
  }

  private boolean lives(WeakClient client) {
    return !((SimScheduler) process(client).scheduler()).isStopped();
  }
}
