package io.ensemble.testkit.sim;

import io.ensemble.register.Ballot;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.StoreKind;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Several clients at a few registers of a simulated federation, on the register protocol itself.
 *
 * @param sites how many sites
 * @param clients how many clients, crashing ones included
 * @param keys how many registers
 * @param operations how many operations each client does
 * @param faults the faults; a site that loses its store never counts again, because it is not
 *     refilled
 * @param bug the mistake of the driver
 */
record RegisterWorkload(
    int sites, int clients, int keys, int operations, RandomFaults faults, DriverBug bug) {

  static final String STORE = "registers";
  private static final Duration FAULTY = Duration.ofMillis(1_500);
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** The result of a run. */
  record Run(
      long seed,
      OperationHistory history,
      LinearizabilityVerdict verdict,
      SimTrace trace,
      Map<Ballot.Kind, Integer> chosen,
      Counters counters) {}

  /** A workload whose size and faults depend on the seed. */
  static RegisterWorkload of(int sites, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double each = new double[] {0, 0.01, 0.05, 0.12}[random.nextInt(4)];
    MessageFaults chances = MessageFaults.lossy(each).withDenied(random.nextDouble() * 0.2);
    if (random.nextInt(3) == 0) {
      chances = chances.withDelay(Duration.ZERO, Duration.ofMillis(6), Duration.ofMillis(250));
    }
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(random.nextBoolean())
            .withChances(chances)
            .withEpisodes(random.nextInt(25))
            .withClientCrashes(random.nextInt(3));
    int clients = random.nextInt(8) == 0 ? 12 : 2 + random.nextInt(4);
    int keys = 1 + random.nextInt(3);
    return new RegisterWorkload(sites, clients, keys, 160 / clients, faults, DriverBug.NONE);
  }

  RegisterWorkload withBug(DriverBug planted) {
    return new RegisterWorkload(sites, clients, keys, operations, faults, planted);
  }

  Run run(long seed) {
    return run(seed, SimFaultPlan.random(seed, siteNames(), clientNames(), FAULTY, faults));
  }

  Run run(long seed, SimFaultPlan plan) {
    SimFederation federation =
        SimFederation.builder()
            .sites(siteNames().toArray(String[]::new))
            .clients(clients)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(plan)
            .build();
    federation.createStore(STORE, StoreKind.ACCEPTOR);
    HistoryRecorder recorder =
        HistoryRecorder.inMemory(federation.scheduler()::nanos, (clients + 2) * operations + keys);
    Shared shared = new Shared(federation, recorder, new CellTable(), new Counters());
    List<RegisterClient> all = new ArrayList<>();
    federation.clients().forEach(c -> all.add(new RegisterClient(c, shared, this, operations)));
    all.forEach(RegisterClient::start);
    if (bug == DriverBug.COUNTS_WIPED) {
      createAgain(federation.newClient());
    }
    federation.run(() -> all.stream().allMatch(RegisterClient::isFinished), LIMIT);
    readAtTheEnd(federation, shared);
    OperationHistory history = recorder.history();
    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());
    Map<Ballot.Kind, Integer> chosen = new EnumMap<>(Ballot.Kind.class);
    all.forEach(c -> c.chosen().forEach((kind, n) -> chosen.merge(kind, n, Integer::sum)));
    return new Run(seed, history, verdict, federation.trace(), chosen, shared.counters());
  }

  List<String> siteNames() {
    return IntStream.range(0, sites).mapToObj(i -> "s" + i).toList();
  }

  List<String> clientNames() {
    return IntStream.range(0, clients).mapToObj(i -> "c" + i).toList();
  }

  /**
   * Creates lost stores again, the mistake of an operator, or of a client that opens stores by
   * creating them.
   */
  private static void createAgain(SimClient operator) {
    Deadline soon = Deadline.after(Duration.ofMillis(50), operator.scheduler());
    for (Site site : operator.sites().values()) {
      site.create(STORE, StoreKind.ACCEPTOR, soon).exceptionally(failure -> null);
    }
    operator.scheduler().after(20_000_000, () -> createAgain(operator));
  }

  /** A new client reads all keys after the end of the faults. */
  private void readAtTheEnd(SimFederation federation, Shared shared) {
    federation.run(FAULTY);
    RegisterClient last = new RegisterClient(federation.newClient(), shared, this, 0);
    for (int key = 0; key < keys; key++) {
      last.readOnce(key);
      federation.run(last::isFinished, LIMIT);
    }
  }

  /** The state that the clients of one run share. */
  record Shared(
      SimFederation federation, HistoryRecorder recorder, CellTable cells, Counters counters) {}

  /** The counters that the clients of one run share. */
  static final class Counters {
    long lastValue;
    int unknown;
    int refused;
  }
}
