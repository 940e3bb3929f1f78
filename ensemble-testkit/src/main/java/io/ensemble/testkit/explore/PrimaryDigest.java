package io.ensemble.testkit.explore;

import io.ensemble.primary.Request;
import io.ensemble.register.Digest;
import io.ensemble.testkit.explore.PrimaryParty.Job;
import io.ensemble.testkit.explore.PrimaryWorld.Flight;
import java.util.Arrays;

/** A fingerprint of a {@link PrimaryWorld}, equal for those from which the same can follow. */
final class PrimaryDigest {

  private PrimaryDigest() {}

  static long of(PrimaryWorld world) {
    long hash = Digest.of(world.record.hashCode(), world.now);
    hash = Digest.of(hash, world.decidedEpoch);
    hash = Digest.of(hash, world.losses * 100L + world.lies * 10L + world.handovers);
    hash = Digest.of(hash, world.ends + 100L * world.learns);
    hash = Digest.of(hash, world.cells.digest());
    for (PrimaryParty party : world.parties) {
      hash = Digest.of(hash, party.digest(world));
    }
    long[] sent = new long[world.flights.size()];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = of(world.flights.get(i), world);
    }
    Arrays.sort(sent);
    for (long one : sent) {
      hash = Digest.of(hash, one);
    }
    return Digest.of(hash, world.judge.digest());
  }

  private static long of(Flight flight, PrimaryWorld world) {
    Job job = world.awaiting(flight);
    long who = job == null ? 1 : 2 + flight.party() * 8L + Math.min(job.call(), 0);
    if (job != null && job.isOver()) {
      who = Digest.of(3 + flight.party(), job.operation().digest());
    }
    long what = flight.request().site();
    if (flight.request() instanceof Request.Swap<Integer> swap) {
      what += Digest.of(swap.expected().token(), swap.copy().hashCode());
      what += swap.expected().copy().isAbsent() ? 17 : 0;
    }
    return Digest.of(who, what);
  }
}
