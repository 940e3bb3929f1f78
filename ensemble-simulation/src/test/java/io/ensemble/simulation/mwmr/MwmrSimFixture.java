package io.ensemble.simulation.mwmr;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.cache.Payload;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A federation without faults, in which a test runs step by step. Sites: lyon, oslo, rome. */
final class MwmrSimFixture {

  static final Duration LONG = Duration.ofMinutes(30);

  final SimFederation federation;
  final MwmrSimCache cache;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private double roundsBefore;

  MwmrSimFixture() {
    this(0, SimFaultPlan.none(), 256);
  }

  /** With skewed clocks and a limit on the requests in flight at a site. */
  MwmrSimFixture(long maxSkewMicros, SimFaultPlan plan, int inFlight) {
    this(maxSkewMicros, plan, inFlight, "lyon", "oslo", "rome");
  }

  private MwmrSimFixture(long maxSkewMicros, SimFaultPlan plan, int inFlight, String... sites) {
    federation =
        SimFederation.builder()
            .sites(sites)
            .clients(0)
            .seed(3)
            .maxSkewMicros(maxSkewMicros)
            .plan(plan)
            .inFlight(inFlight)
            .build();
    cache = new MwmrSimCache(federation, Duration.ofSeconds(1));
  }

  /** At other sites. */
  static MwmrSimFixture at(String... sites) {
    return new MwmrSimFixture(0, SimFaultPlan.none(), 256, sites);
  }

  /** Every message takes a millisecond. */
  static MwmrSimFixture inStep() {
    Duration way = Duration.ofMillis(1);
    return new MwmrSimFixture(
        0, SimFaultPlan.of(MessageFaults.reliable().withDelay(way, Duration.ZERO, way)), 256);
  }

  /** Runs until {@code many} further lines of the trace contain {@code what}. */
  void until(int many, String what) {
    long from = federation.trace().size();
    federation.run(
        () ->
            federation.trace().lines().stream()
                    .skip(from)
                    .filter(line -> line.contains(what))
                    .count()
                >= many,
        LONG);
  }

  /** Another process, with its stores open. */
  Opened process() {
    return process(federation.newClient());
  }

  Opened process(SimClient client) {
    Opened opened = cache.open(client, registry);
    opened
        .handles()
        .forEach(
            handle ->
                federation.get(handle.store(in(client, 300)).exceptionally(down -> null), LONG));
    return opened;
  }

  static Deadline in(SimClient client, long millis) {
    return Deadline.after(Duration.ofMillis(millis), client.scheduler());
  }

  <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, LONG);
  }

  void pass(long millis) {
    federation.run(Duration.ofMillis(millis));
  }

  Long read(Opened by, String key) {
    return HistoryPayloads.number(
        get(by.engine().read(HistoryPayloads.key(key), in(by.client(), 900))));
  }

  WriteOutcome<Void> put(Opened by, String key, int value) {
    return put(by, key, HistoryPayloads.payload(value));
  }

  WriteOutcome<Void> put(Opened by, String key, Payload value) {
    return get(by.engine().write(HistoryPayloads.key(key), value, in(by.client(), 900)));
  }

  <R> WriteOutcome<R> update(Opened by, String key, Update<Payload, R> update) {
    return get(by.engine().update(HistoryPayloads.key(key), update, in(by.client(), 900)));
  }

  /** Writes if the value is {@code wanted}, null for none. */
  WriteOutcome<Boolean> cas(Opened by, String key, Long wanted, long value) {
    return update(
        by,
        key,
        now ->
            java.util.Objects.equals(HistoryPayloads.number(now), wanted)
                ? Decision.write(HistoryPayloads.payload(value), true)
                : Decision.keep(false));
  }

  List<Entry> scan(MwmrEngine engine, SimClient client, int batch) {
    List<Entry> all = new ArrayList<>();
    try (EntryScan scan = engine.scan(batch)) {
      for (List<Entry> next = get(scan.next(in(client, 5_000)));
          !next.isEmpty();
          next = get(scan.next(in(client, 5_000)))) {
        all.addAll(next);
      }
    }
    return all;
  }

  void down(String site) {
    federation.inject(new Fault.SiteDown(site, LostState.REQUESTS));
  }

  void up(String site) {
    federation.inject(new Fault.SiteUp(site));
  }

  void cut(Opened from, String site) {
    federation.inject(new Fault.Cut(from.client().name(), site, true, true));
  }

  void heal(Opened from, String site) {
    federation.inject(new Fault.Heal(from.client().name(), site));
  }

  void wipe(String site) {
    federation.inject(new Fault.SiteDown(site, LostState.STORES));
    federation.inject(new Fault.SiteUp(site));
  }

  RecoveryResult recover(Opened by, String site, RecoverableEngine refill) {
    return get(
        cache.catalog(by.client()).recover(cache.stored(), site, refill, in(by.client(), 60_000)));
  }

  /** The number of round trips since the last call. */
  int rounds() {
    double now =
        registry.find("ensemble.round.trips").summaries().stream()
            .mapToDouble(DistributionSummary::totalAmount)
            .sum();
    int since = (int) (now - roundsBefore);
    roundsBefore = now;
    return since;
  }
}
