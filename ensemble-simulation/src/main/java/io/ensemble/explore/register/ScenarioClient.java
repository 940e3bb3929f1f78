package io.ensemble.explore.register;

import io.ensemble.register.Ballot;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.VersionedCell;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client of a scenario. Copied, never shared between states. */
final class ScenarioClient {

  final int index;
  final int firstCall;
  int next;
  boolean crashed;
  boolean seesRefilled;
  long highestRound;
  Ballot known = Ballot.ZERO;
  @Nullable PreparedBallot prepared;
  @Nullable List<VersionedCell<Integer>> remembered;
  @Nullable RegisterOperation<Integer, Integer> operation;

  ScenarioClient(int index, int firstCall) {
    this.index = index;
    this.firstCall = firstCall;
  }

  ScenarioClient copy() {
    ScenarioClient copy = new ScenarioClient(index, firstCall);
    copy.next = next;
    copy.crashed = crashed;
    copy.seesRefilled = seesRefilled;
    copy.highestRound = highestRound;
    copy.known = known;
    copy.prepared = prepared;
    copy.remembered = remembered;
    copy.operation = operation == null ? null : operation.copy();
    return copy;
  }

  /** The call that is under way, as an index into all calls of the scenario. */
  int call() {
    return firstCall + next;
  }

  boolean isBusy() {
    return operation != null && operation.outcome().isEmpty();
  }

  long digest() {
    long hash =
        RegisterDigest.of(next * 4L + (crashed ? 2 : 0) + (seesRefilled ? 1 : 0), highestRound);
    hash = RegisterDigest.of(hash, RegisterDigest.of(known));
    hash = RegisterDigest.of(hash, prepared == null ? 0 : RegisterDigest.of(prepared.ballot()));
    return RegisterDigest.of(hash, operation == null ? 0 : operation.digest());
  }

  long digest(int site) {
    List<VersionedCell<Integer>> shown = remembered;
    long memory = shown == null ? 0 : RegisterDigest.of(shown.get(site).cell());
    boolean hasPromised = prepared != null && prepared.sites().contains(site);
    memory = RegisterDigest.of(memory, hasPromised ? 1 : 0);
    return RegisterDigest.of(memory, operation == null ? 0 : operation.digest(site));
  }
}
