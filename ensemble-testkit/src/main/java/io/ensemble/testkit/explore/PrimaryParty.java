package io.ensemble.testkit.explore;

import io.ensemble.primary.Known;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Shown;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.register.Digest;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of a {@link PrimaryScenario}. Copied, never shared between states. */
final class PrimaryParty {

  static final int RECOVERY = -1;
  static final int COPYING = -2;

  /**
   * An operation under way.
   *
   * @param call which call of the scenario it does, {@link #RECOVERY}, or {@link #COPYING} and the
   *     value in {@code value}
   */
  record Job(int id, int call, Operation<Integer, Integer> operation, Trust trust, int value) {

    Job copy() {
      return new Job(id, call, operation.copy(), trust, value);
    }

    boolean isOver() {
      return operation.outcome().isPresent();
    }
  }

  final int index;
  final WriterId id;
  final int firstCall;
  int next;
  int ids;
  boolean called;
  long uncertainEpoch;
  @Nullable Trust trust;
  @Nullable Term seen;
  long seenAt;
  long stageSeenAt;

  /** What sites showed to this party, for its next write. */
  Known<Integer> known = Known.nothing();

  List<Job> jobs = new ArrayList<>();

  /** Jobs that have ended and are still owed answers, which they may follow by more requests. */
  List<Job> over = new ArrayList<>();

  /** Acknowledged values, and those of them that a fail-over may drop. */
  List<Integer> acknowledged = new ArrayList<>();

  List<Acknowledged> window = new ArrayList<>();

  /** A write that was acknowledged before a majority held it. */
  record Acknowledged(int call, int value, long epoch) {}

  PrimaryParty(int index, int firstCall) {
    this.index = index;
    this.firstCall = firstCall;
    id = new WriterId(0, index + 1L);
  }

  PrimaryParty copy() {
    PrimaryParty copy = new PrimaryParty(index, firstCall);
    copy.next = next;
    copy.ids = ids;
    copy.called = called;
    copy.uncertainEpoch = uncertainEpoch;
    copy.trust = trust;
    copy.seen = seen;
    copy.seenAt = seenAt;
    copy.stageSeenAt = stageSeenAt;
    copy.known = known;
    jobs.forEach(job -> copy.jobs.add(job.copy()));
    over.forEach(job -> copy.over.add(job.copy()));
    copy.acknowledged = new ArrayList<>(acknowledged);
    copy.window = new ArrayList<>(window);
    return copy;
  }

  /** Learns what a site shows, and keeps what it knows of the others. */
  void learn(int site, Shown<Integer> shown, int sites) {
    List<Optional<Shown<Integer>>> each =
        new ArrayList<>(
            known.sites().isEmpty() ? Collections.nCopies(sites, Optional.empty()) : known.sites());
    each.set(site, Optional.of(shown));
    known = new Known<>(each);
  }

  int call() {
    return firstCall + next;
  }

  boolean isBusy() {
    return jobs.stream().anyMatch(job -> job.call >= 0);
  }

  /** The job of this number, under way or over; null once it is owed no answer any more. */
  @Nullable Job job(int wanted) {
    return Stream.concat(jobs.stream(), over.stream())
        .filter(job -> job.id == wanted)
        .findFirst()
        .orElse(null);
  }

  long digest(PrimaryWorld world) {
    long hash = Digest.of(next * 2L + (called ? 1 : 0), uncertainEpoch);
    hash = Digest.of(hash, digest(trust, world));
    boolean current = world.record.equals(seen);
    boolean outwaited = world.leases.hasOutwaited(seenAt, world.now);
    hash = Digest.of(hash, !current ? 0 : world.record.active() || outwaited ? 1 : 2 + seenAt);
    hash = Digest.of(hash, Digest.of(acknowledged.hashCode(), window.hashCode()));
    hash = Digest.of(hash, world.leases.hasOutwaited(stageSeenAt, world.now) ? -1 : stageSeenAt);
    hash = Digest.of(hash, known.hashCode());
    for (Job job : jobs) {
      hash = Digest.of(hash, Digest.of(job.call, job.operation.digest()));
      hash = Digest.of(hash, digest(job.trust, world) * 31L + job.value);
    }
    long late = 0;
    for (Job job : over) {
      late += Digest.mix(job.operation.digest());
    }
    return Digest.of(hash, late);
  }

  /** A number for each state of each epoch: recovering, closing, whole. */
  static long stage(Term term) {
    return term.epoch() * 3 + (term.isWhole() ? 2 : term.isRecovered() ? 1 : 0);
  }

  /** Alike when they allow the same from now on. */
  private static long digest(@Nullable Trust trust, PrimaryWorld world) {
    return trust == null || !trust.term().active()
        ? 0
        : Digest.of(
            stage(trust.term()),
            world.leases.mayAnswer(trust, world.now) ? 1 + trust.sinceNanos() : 0);
  }
}
