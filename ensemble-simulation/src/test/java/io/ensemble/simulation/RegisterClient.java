package io.ensemble.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.VersionedCell;
import io.ensemble.simulation.RegisterDriver.Setup;
import io.ensemble.simulation.RegisterWorkload.Shared;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One client of the workload, with one recorded operation after the other. */
final class RegisterClient {

  private final SimClient client;
  private final Shared shared;
  private final RegisterWorkload workload;
  private final BallotGenerator ballotGenerator;
  private final List<SiteStore> stores;
  private final VersionedCell<Long>[][] shown;
  private final Ballot[] known;
  private final PreparedBallot[] prepared;
  private final long[] lastValue;
  private final Map<Ballot.Kind, Integer> chosen = new EnumMap<>(Ballot.Kind.class);
  private long number;
  private int left;
  private boolean busy;

  @SuppressWarnings({"unchecked", "rawtypes"})
  RegisterClient(SimClient client, Shared shared, RegisterWorkload workload, int operations) {
    this.client = client;
    this.shared = shared;
    this.workload = workload;
    left = operations;
    number = shared.recorder().newClient();
    HybridClock clock = new HybridClock(client.scheduler()::epochMicros);
    WriterId writer = new WriterId(client.random().nextLong(), client.random().nextLong());
    ballotGenerator = new BallotGenerator(writer, clock::after);
    shown = new VersionedCell[workload.keys()][workload.sites()];
    known = new Ballot[workload.keys()];
    Arrays.fill(known, Ballot.ZERO);
    prepared = new PreparedBallot[workload.keys()];
    lastValue = new long[workload.keys()];
    stores =
        List.copyOf(
            shared
                .federation()
                .stores(client, RegisterWorkload.STORE, StoreKind.ACCEPTOR)
                .values());
  }

  Map<Ballot.Kind, Integer> chosen() {
    return chosen;
  }

  /** Whether this client has done all its operations, or crashed. */
  boolean isFinished() {
    return client.scheduler().isStopped() || (left == 0 && !busy);
  }

  void start() {
    client.scheduler().execute(this::next);
  }

  private void next() {
    if (left > 0) {
      left--;
      int key = client.random().nextInt(workload.keys());
      long fresh = ++shared.counters().lastValue;
      perform(key, SimRegisterCall.random(client.random(), fresh, lastValue[key]));
    }
  }

  void readOnce(int key) {
    busy = true;
    client.scheduler().execute(() -> perform(key, SimRegisterCall.read()));
  }

  private void perform(int key, SimRegisterCall call) {
    busy = true;
    Pending pending = shared.recorder().begin(number, "k" + key, call.op(), call.in());
    drive(key, call, pending);
  }

  private void drive(int key, SimRegisterCall call, Pending pending) {
    Quorum quorum = new Quorum(workload.sites());
    boolean remembers = client.random().nextInt(3) == 0;
    Ballot chosenBefore = client.random().nextBoolean() ? known[key] : Ballot.ZERO;
    RegisterOperation<Long, Object> operation =
        RegisterOperation.of(
            quorum,
            ballotGenerator,
            call.update(),
            chosenBefore,
            Optional.ofNullable(prepared[key]),
            RivalPolicy.DEFAULT);
    prepared[key] = null;
    List<RegisterRequest<Long>> first =
        remembers && !Arrays.asList(shown[key]).contains(null)
            ? operation.startFrom(List.of(shown[key]))
            : operation.start();
    Setup setup =
        new Setup(client.scheduler(), client.random(), stores, shared.cells(), workload.bug());
    Bytes name = Bytes.of(("k" + key).getBytes(UTF_8));
    new RegisterDriver(
            setup,
            name,
            operation,
            shown[key],
            outcome -> {
              operation.prepared().ifPresent(ballot -> prepared[key] = ballot);
              ended(key, call, pending, outcome);
            })
        .start(first);
  }

  private void ended(
      int key, SimRegisterCall call, Pending pending, RegisterOutcome<Long, Object> outcome) {
    DriverBug bug = workload.bug();
    if (outcome instanceof RegisterOutcome.Unknown && bug == DriverBug.REPEATS_UNKNOWN) {
      drive(key, call, pending);
      return;
    }
    if (outcome instanceof RegisterOutcome.Done<Long, Object> done) {
      learn(key, done);
      number = pending.ok(done.result());
    } else if (outcome instanceof RegisterOutcome.Refused || bug == DriverBug.UNKNOWN_IS_REFUSED) {
      shared.counters().refused++;
      pending.failed();
    } else {
      shared.counters().unknown++;
      number = pending.unknown();
    }
    busy = false;
    client.scheduler().after(client.random().nextLong(1, 8_000_000), this::next);
  }

  private void learn(int key, RegisterOutcome.Done<Long, Object> done) {
    chosen.merge(done.ballot().kind(), 1, Integer::sum);
    known[key] = done.ballot();
    Long value = done.content().value();
    if (value != null) {
      lastValue[key] = value;
    }
  }
}
