package io.ensemble.explore.primary;

import io.ensemble.explore.primary.PrimaryParticipant.Job;
import io.ensemble.explore.primary.PrimaryScenarioState.Flight;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.register.RegisterDigest;
import java.util.Arrays;

/**
 * A fingerprint of a {@link PrimaryScenarioState}. States with the same possible continuations have
 * the same fingerprint.
 */
final class PrimaryDigest {

  private PrimaryDigest() {}

  static long of(PrimaryScenarioState world) {
    long hash = RegisterDigest.of(world.record.hashCode(), world.now);
    hash = RegisterDigest.of(hash, world.decidedEpoch);
    hash = RegisterDigest.of(hash, world.losses * 100L + world.lies * 10L + world.handovers);
    hash = RegisterDigest.of(hash, world.ends + 100L * world.learns);
    hash = RegisterDigest.of(hash, world.cells.digest());
    for (PrimaryParticipant party : world.parties) {
      hash = RegisterDigest.of(hash, party.digest(world));
    }
    long[] sent = new long[world.flights.size()];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = of(world.flights.get(i), world);
    }
    Arrays.sort(sent);
    for (long one : sent) {
      hash = RegisterDigest.of(hash, one);
    }
    return RegisterDigest.of(hash, world.judge.digest());
  }

  private static long of(Flight flight, PrimaryScenarioState world) {
    Job job = world.awaiting(flight);
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
