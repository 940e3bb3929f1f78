package io.ensemble.explore.primary;

import io.ensemble.explore.primary.PrimaryParticipant.PrimaryJob;
import io.ensemble.explore.primary.PrimaryScenarioState.RequestInFlight;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.register.RegisterDigest;
import java.util.Arrays;

/**
 * A fingerprint of a {@link PrimaryScenarioState}. States with the same possible continuations have
 * the same fingerprint.
 */
final class PrimaryDigest {

  private PrimaryDigest() {}

  static long of(PrimaryScenarioState state) {
    long hash = RegisterDigest.of(state.record.hashCode(), state.now);
    hash = RegisterDigest.of(hash, state.decidedEpoch);
    hash = RegisterDigest.of(hash, state.losses * 100L + state.lies * 10L + state.handovers);
    hash = RegisterDigest.of(hash, state.ends + 100L * state.learns);
    hash = RegisterDigest.of(hash, state.cells.digest());
    for (PrimaryParticipant party : state.parties) {
      hash = RegisterDigest.of(hash, party.digest(state));
    }
    long[] sent = new long[state.requestsInFlight.size()];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = of(state.requestsInFlight.get(i), state);
    }
    Arrays.sort(sent);
    for (long one : sent) {
      hash = RegisterDigest.of(hash, one);
    }
    return RegisterDigest.of(hash, state.monitor.digest());
  }

  private static long of(RequestInFlight flight, PrimaryScenarioState state) {
    PrimaryJob job = state.awaiting(flight);
    long who = job == null ? 1 : 2 + flight.party() * 8L + Math.min(job.call(), 0);
    if (job != null && job.isOver()) {
      who = RegisterDigest.of(3 + flight.party(), job.operation().digest());
    }
    long what = flight.request().site();
    if (flight.request() instanceof PrimaryRequest.Swap<Integer> swap) {
      what += RegisterDigest.of(swap.expected().token(), swap.copy().hashCode());
      what += swap.expected().copy().isAbsent() ? 17 : 0;
    }
    return RegisterDigest.of(who, what);
  }
}
