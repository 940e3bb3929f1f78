package io.ensemble.simulation.swmr;

import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Some processes at a few keys of an SWMR cache, all of which write at times, while sites lose
 * their stores one after the other and are refilled.
 */
final class SwmrWipeWorkload {

  private static final Duration FAULTY = Duration.ofSeconds(60);
  private static final int OPERATIONS = 60;
  private static final int WIPES = 4;

  /** The result of a run. */
  record Run(
      OperationHistory history,
      LinearizabilityVerdict verdict,
      boolean finished,
      int done,
      int otherWriter,
      int recovered) {}

  private final SplittableRandom random;
  private final SwmrSimCache scene;
  private final UnaryOperator<RecoverableEngine> refill;
  private final SwmrUsers users;
  private int recovered;

  /**
   * @param refill replaces the correct refill of a site
   */
  SwmrWipeWorkload(long seed, int sites, UnaryOperator<RecoverableEngine> refill) {
    random = new SplittableRandom(seed);
    this.refill = refill;
    List<String> siteNames = IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
    double each = new double[] {0, 0.005, 0.02}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(4))
            .withClientCrashes(0);
    SimFederation federation =
        SimFederation.builder()
            .sites(siteNames.toArray(String[]::new))
            .clients(3)
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(SimFaultPlan.random(seed, siteNames, List.of("c0", "c1", "c2"), FAULTY, faults))
            .build();
    scene = new SwmrSimCache(federation);
    users = new SwmrUsers(scene, OPERATIONS);
  }

  Run run() {
    SimFederation federation = scene.federation;
    List<SwmrUsers.Session> sessions = new ArrayList<>();
    for (SimClient client : federation.clients()) {
      sessions.add(users.session(client, scene.open(client)));
    }
    sessions.forEach(session -> session.scheduler.execute(session::next));
    SimClient operator = federation.newClient();
    wipe(operator, scene.open(operator));
    RunEnd ended =
        federation.run(
            () -> recovered == WIPES && sessions.stream().allMatch(SwmrUsers.Session::isFinished),
            SwmrSimCache.LONG);
    federation.run(FAULTY);
    readAll(federation);
    return new Run(
        users.history(),
        users.verdict(),
        ended == RunEnd.DONE,
        users.done(),
        users.otherWriter(),
        recovered);
  }

  /**
   * Reads in a new process while each site is down in turn, because each majority must have all.
   */
  private void readAll(SimFederation federation) {
    for (String site : federation.siteNames()) {
      federation.inject(new Fault.SiteDown(site, LostState.REQUESTS));
      users.readAll();
      federation.inject(new Fault.SiteUp(site));
    }
  }

  private void wipe(SimClient operator, OpenSwmrCache engine) {
    if (recovered == WIPES) {
      return;
    }
    after(
        random.nextLong(200, 6_000),
        () -> {
          List<String> sites = scene.federation.siteNames();
          String site = sites.get(random.nextInt(sites.size()));
          scene.federation.inject(new Fault.SiteDown(site, LostState.STORES));
          after(
              random.nextLong(1, 3_000),
              () -> {
                scene.federation.inject(new Fault.SiteUp(site));
                recover(operator, engine, site);
              });
        });
  }

  private void recover(SimClient operator, OpenSwmrCache engine, String site) {
    scene
        .recover(operator, site, refill.apply(engine))
        .whenComplete(
            (back, failure) -> {
              if (failure != null) {
                after(random.nextLong(1, 500), () -> recover(operator, engine, site));
                return;
              }
              recovered++;
              wipe(operator, engine);
            });
  }

  private void after(long millis, Runnable task) {
    scene.federation.scheduler().after(Duration.ofMillis(millis).toNanos(), task);
  }
}
