package io.ensemble.simulation.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.FormerStorePolicy;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.FaultyVoterSetEnd.Way;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.primary.TermLeaseRules;
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
import io.ensemble.testkit.losses.FailoverLosses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Some processes at a few keys of an SWMR cache over two sites. In each round a site dies, is cut
 * off from some processes, or has its stores discarded without a fault. In most rounds an operator
 * lets the cache continue at the other site, once or twice, and may die half-way. Then the site is
 * recovered. Processes may lack the catalog meanwhile. At the end a site dies and is not recovered.
 */
final class TwoSiteWorkload {

  private static final Duration FAULTY = Duration.ofMinutes(1);
  private static final List<String> SITES = List.of("s0", "s1");
  private static final List<String> USERS = List.of("c0", "c1", "c2");
  private static final int OPERATIONS = 60;
  private static final int ROUNDS = 3;

  /** The result of a run. */
  record Run(
      OperationHistory history,
      LinearizabilityVerdict verdict,
      boolean finished,
      int done,
      int rounds,
      String failure,
      FailoverLosses losses,
      List<String> mistakes) {}

  /** An operator, in a separate process. */
  private record Operator(SimClient client, OpenSwmrCache engine, FaultyVoterSetEnd rolls) {}

  private final SplittableRandom random;
  private final SplittableRandom refilling;
  private final SimFederation federation;
  private final SwmrSimCache scene;
  private final SwmrUsers users;
  private final Way way;
  private final Acknowledgement acknowledgement;
  private final boolean[] away = new boolean[USERS.size()];
  private int rounds;
  private boolean over;
  private String failure = "none";

  TwoSiteWorkload(
      long seed, Acknowledgement acknowledgement, TermLeaseRules termLeaseRules, Way way) {
    random = new SplittableRandom(seed);
    refilling = new SplittableRandom(~seed);
    this.way = way;
    this.acknowledgement = acknowledgement;
    double each = new double[] {0, 0.005, 0.02}[random.nextInt(3)];
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(false)
            .withChances(MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.1))
            .withEpisodes(random.nextInt(4))
            .withClientCrashes(random.nextInt(2));
    federation =
        SimFederation.builder()
            .sites(SITES.toArray(String[]::new))
            .clients(USERS.size())
            .seed(seed)
            .maxSkewMicros(20_000)
            .plan(SimFaultPlan.random(seed, SITES, USERS, FAULTY, faults))
            .build();
    scene = new SwmrSimCache(federation, acknowledgement, termLeaseRules);
    users = new SwmrUsers(scene, OPERATIONS);
  }

  /** The same without reports of writes in doubt. */
  TwoSiteWorkload unheard() {
    users.unheard();
    return this;
  }

  Run run() {
    List<SwmrUsers.Session> sessions = new ArrayList<>();
    for (SimClient client : federation.clients()) {
      int index = sessions.size();
      sessions.add(users.session(client, scene.open(client, () -> away[index])));
    }
    sessions.forEach(session -> session.scheduler.execute(session::next));
    if (acknowledgement == Acknowledgement.PRIMARY) {
      users.watch();
    }
    round();
    RunEnd ended =
        federation.run(
            () -> over && sessions.stream().allMatch(SwmrUsers.Session::isFinished),
            SwmrSimCache.LONG);
    federation.run(FAULTY);
    if (ended == RunEnd.DONE) {
      users.readAll();
    }
    return new Run(
        users.history(),
        users.verdict(),
        ended == RunEnd.DONE,
        users.done(),
        rounds,
        failure,
        users.losses(),
        users.mistakes());
  }

  private void round() {
    String lost = SITES.get(random.nextInt(2));
    String other = lost.equals("s0") ? "s1" : "s0";
    after(
        random.nextLong(200, 6_000),
        () -> {
          if (rounds == ROUNDS) {
            federation.inject(new Fault.SiteDown(lost, LostState.STORES));
            goOnAt(other, () -> over = true);
            return;
          }
          leaveItAhead(
              other,
              () -> {
                lose(lost, other);
                if (refilling.nextInt(3) == 0) {
                  boolean isDiscarded = refilling.nextBoolean();
                  FormerStorePolicy former =
                      isDiscarded ? FormerStorePolicy.DISCARD : FormerStorePolicy.MUST_BE_LOST;
                  recoverSoon(lost, former, () -> federation.inject(new Fault.SiteUp(lost)));
                  return;
                }
                after(
                    random.nextLong(0, 4_000),
                    () ->
                        goOnAt(
                            other,
                            () ->
                                recoverSoon(
                                    lost, FormerStorePolicy.MUST_BE_LOST, () -> healAll(lost))));
              });
        });
  }

  /** Lets the users reach only the site that is lost next, so that its window contains writes. */
  private void leaveItAhead(String other, Runnable then) {
    if (acknowledgement == Acknowledgement.MAJORITY || random.nextInt(3) == 0) {
      then.run();
      return;
    }
    USERS.forEach(user -> federation.inject(new Fault.Cut(user, other, true, true)));
    after(
        random.nextLong(200, 1_500),
        () -> {
          USERS.forEach(user -> federation.inject(new Fault.Heal(user, other)));
          then.run();
        });
  }

  private void lose(String lost, String other) {
    switch (random.nextInt(5)) {
      case 0 -> federation.inject(new Fault.SiteDown(lost, LostState.STORES));
      case 1 -> federation.inject(new Fault.SiteDown(lost, LostState.REQUESTS));
      case 2 -> federation.inject(new Fault.SiteDown(lost, LostState.NOTHING));
      case 3 -> {
        for (String user : USERS) {
          String from = random.nextInt(3) > 0 ? lost : other;
          federation.inject(new Fault.Cut(user, from, true, true));
        }
      }
      default -> {} // The operator discards the stores without a fault.
    }
    for (int user = 0; user < away.length; user++) {
      away[user] = random.nextInt(3) == 0;
    }
    if (random.nextInt(2) == 0) {
      after(random.nextLong(0, 6_000), () -> heal(lost));
    }
  }

  private void heal(String lost) {
    federation.inject(new Fault.SiteUp(lost));
    for (String user : USERS) {
      SITES.forEach(site -> federation.inject(new Fault.Heal(user, site)));
    }
  }

  private void goOnAt(String site, Runnable then) {
    BiFunction<Operator, String, CompletionStage<?>> command =
        (operator, name) ->
            scene
                .goOnAt(operator.client(), name, operator.rolls())
                .thenCompose(stored -> scene.look(operator.engine()))
                .thenCompose(
                    stored ->
                        operator.engine().promote(name, SwmrSimCache.soon(operator.client())));
    attempt(site, command, then);
    if (random.nextInt(4) == 0) {
      after(random.nextLong(0, 3_000), () -> twice(command, site));
    }
  }

  private void twice(BiFunction<Operator, String, CompletionStage<?>> command, String site) {
    command
        .apply(operator(), site)
        .whenComplete((done, thrown) -> failure = thrown == null ? failure : thrown.toString());
  }

  private void healAll(String lost) {
    heal(lost);
    Arrays.fill(away, false);
  }

  /**
   * Recovers a site. Users may be cut off or lack the catalog, unless {@code before} heals that.
   */
  private void recoverSoon(String lost, FormerStorePolicy former, Runnable before) {
    after(
        random.nextLong(0, 6_000),
        () -> {
          before.run();
          attempt(
              lost,
              (operator, site) ->
                  scene
                      .recover(operator.client(), site, former, operator.rolls())
                      .handle((back, thrown) -> unlessIntact(thrown))
                      .thenCompose(stage -> stage)
                      .thenCompose(back -> scene.look(operator.engine()))
                      .thenCompose(stored -> hasten(operator, site))
                      .thenCompose(
                          moved ->
                              operator.engine().filled(site, SwmrSimCache.soon(operator.client()))),
              () -> {
                healAll(lost);
                rounds++;
                round();
              });
        });
  }

  /** At times, makes the site the primary before it is filled. */
  private CompletionStage<Boolean> hasten(Operator operator, String site) {
    return random.nextInt(3) > 0
        ? CompletableFuture.completedFuture(false)
        : operator
            .engine()
            .promote(site, SwmrSimCache.soon(operator.client()))
            .handle((term, silent) -> true);
  }

  private static CompletionStage<Boolean> unlessIntact(Throwable thrown) {
    return thrown == null || CompletionCause.of(thrown) instanceof StoreIntactException
        ? CompletableFuture.completedFuture(true)
        : CompletableFuture.failedFuture(CompletionCause.of(thrown));
  }

  private Operator operator() {
    SimClient client = federation.newClient();
    OpenSwmrCache engine = scene.open(client);
    return new Operator(client, engine, new FaultyVoterSetEnd(engine, way));
  }

  /** Repeats a command until it succeeds; the operator may die meanwhile. */
  private void attempt(
      String site, BiFunction<Operator, String, CompletionStage<?>> command, Runnable then) {
    Operator operator = operator();
    boolean[] ended = {false};
    Runnable again = () -> after(random.nextLong(1, 1_000), () -> attempt(site, command, then));
    if (random.nextInt(3) == 0) {
      after(
          random.nextLong(0, 3_000),
          () -> {
            if (!ended[0]) {
              ended[0] = true;
              federation.inject(new Fault.ClientCrash(operator.client().name()));
              again.run();
            }
          });
    }
    operator
        .client()
        .scheduler()
        .execute(
            () ->
                command
                    .apply(operator, site)
                    .whenComplete(
                        (done, thrown) -> {
                          if (ended[0]) {
                            return;
                          }
                          ended[0] = true;
                          if (thrown == null) {
                            then.run();
                          } else {
                            failure = thrown.toString();
                            again.run();
                          }
                        }));
  }

  private void after(long millis, Runnable task) {
    federation.scheduler().after(Duration.ofMillis(millis).toNanos(), task);
  }
}
