package io.ensemble.testkit.explore;

import io.ensemble.register.Ballot;
import io.ensemble.register.Digest;
import io.ensemble.register.Operation;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.Seen;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client of a scenario. Copied, never shared between states. */
final class Client {

  final int index;
  final int firstCall;
  int next;
  boolean crashed;
  boolean seesRefilled;
  boolean beganIntact;
  long highestRound;
  Ballot known = Ballot.ZERO;
  @Nullable PreparedBallot prepared;
  @Nullable List<Seen<Integer>> remembered;
  @Nullable Operation<Integer, Integer> operation;

  Client(int index, int firstCall) {
    this.index = index;
    this.firstCall = firstCall;
  }

  Client copy() {
    Client copy = new Client(index, firstCall);
    copy.next = next;
    copy.crashed = crashed;
    copy.seesRefilled = seesRefilled;
    copy.beganIntact = beganIntact;
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
        Digest.of(
            next * 8L + (crashed ? 2 : 0) + (seesRefilled ? 1 : 0) + (beganIntact ? 4 : 0),
            highestRound);
    hash = Digest.of(hash, Digest.of(known));
    hash = Digest.of(hash, prepared == null ? 0 : Digest.of(prepared.ballot()));
    return Digest.of(hash, operation == null ? 0 : operation.digest());
  }

  long digest(int site) {
    List<Seen<Integer>> shown = remembered;
    long memory = shown == null ? 0 : Digest.of(shown.get(site).cell());
    boolean hasPromised = prepared != null && prepared.sites().contains(site);
    memory = Digest.of(memory, hasPromised ? 1 : 0);
    return Digest.of(memory, operation == null ? 0 : operation.digest(site));
  }
}
