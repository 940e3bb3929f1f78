package io.ensemble.explore.primary;

import io.ensemble.primary.KnownCopies;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.Term;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.register.RegisterDigest;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of a {@link PrimaryScenario}. Copied, never shared between states. */
final class PrimaryParticipant {

  static final int RECOVERY = -1;
  static final int COPYING = -2;

  /**
   * An operation under way.
   *
   * @param call the call of the scenario that the operation executes, {@link #RECOVERY}, or {@link
   *     #COPYING} with the value in {@code value}
   */
  record PrimaryJob(
      int id,
      int call,
      PrimaryOperation<Integer, Integer> operation,
      LeasedTerm leasedTerm,
      int value) {

    PrimaryJob copy() {
      return new PrimaryJob(id, call, operation.copy(), leasedTerm, value);
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
  @Nullable LeasedTerm leasedTerm;
  @Nullable Term seen;
  long seenAt;
  long stageSeenAt;

  /** The copies that sites showed to this party, for its next write. */
  KnownCopies<Integer> known = KnownCopies.nothing();

  List<PrimaryJob> jobs = new ArrayList<>();

  /** Jobs that have ended and still expect responses, after which they may send more requests. */
  List<PrimaryJob> endedJobs = new ArrayList<>();

  /** Acknowledged values, and those of them that a fail-over may drop. */
  List<Integer> acknowledged = new ArrayList<>();

  List<AcknowledgedJob> window = new ArrayList<>();

  /** A write that was acknowledged before a majority held it. */
  record AcknowledgedJob(int call, int value, long epoch) {}

  PrimaryParticipant(int index, int firstCall) {
    this.index = index;
    this.firstCall = firstCall;
    id = new WriterId(0, index + 1L);
  }

  PrimaryParticipant copy() {
    PrimaryParticipant copy = new PrimaryParticipant(index, firstCall);
    copy.next = next;
    copy.ids = ids;
    copy.called = called;
    copy.uncertainEpoch = uncertainEpoch;
    copy.leasedTerm = leasedTerm;
    copy.seen = seen;
    copy.seenAt = seenAt;
    copy.stageSeenAt = stageSeenAt;
    copy.known = known;
    jobs.forEach(job -> copy.jobs.add(job.copy()));
    endedJobs.forEach(job -> copy.endedJobs.add(job.copy()));
    copy.acknowledged = new ArrayList<>(acknowledged);
    copy.window = new ArrayList<>(window);
    return copy;
  }

  /** Records the copy that a site shows, and keeps the known copies of the others. */
  void learn(int site, VersionedCopy<Integer> versionedCopy, int sites) {
    List<Optional<VersionedCopy<Integer>>> each =
        new ArrayList<>(
            known.sites().isEmpty() ? Collections.nCopies(sites, Optional.empty()) : known.sites());
    each.set(site, Optional.of(versionedCopy));
    known = new KnownCopies<>(each);
  }

  int call() {
    return firstCall + next;
  }

  boolean isBusy() {
    return jobs.stream().anyMatch(job -> job.call >= 0);
  }

  /** The job of this number, under way or over; null once it expects no response any more. */
  @Nullable PrimaryJob job(int wanted) {
    return Stream.concat(jobs.stream(), endedJobs.stream())
        .filter(job -> job.id == wanted)
        .findFirst()
        .orElse(null);
  }

  long digest(PrimaryScenarioState state) {
    long hash = RegisterDigest.of(next * 2L + (called ? 1 : 0), uncertainEpoch);
    hash = RegisterDigest.of(hash, digest(leasedTerm, state));
    boolean current = state.record.equals(seen);
    boolean outwaited = state.leases.hasOutwaited(seenAt, state.now);
    hash =
        RegisterDigest.of(hash, !current ? 0 : state.record.active() || outwaited ? 1 : 2 + seenAt);
    hash = RegisterDigest.of(hash, RegisterDigest.of(acknowledged.hashCode(), window.hashCode()));
    hash =
        RegisterDigest.of(
            hash, state.leases.hasOutwaited(stageSeenAt, state.now) ? -1 : stageSeenAt);
    hash = RegisterDigest.of(hash, known.hashCode());
    for (PrimaryJob job : jobs) {
      hash = RegisterDigest.of(hash, RegisterDigest.of(job.call, job.operation.digest()));
      hash = RegisterDigest.of(hash, digest(job.leasedTerm, state) * 31L + job.value);
    }
    long late = 0;
    for (PrimaryJob job : endedJobs) {
      late += RegisterDigest.mix(job.operation.digest());
    }
    return RegisterDigest.of(hash, late);
  }

  /** A number for each state of each epoch: recovering, closing, whole. */
  static long stage(Term term) {
    return term.epoch() * 3 + (term.isWhole() ? 2 : term.isRecovered() ? 1 : 0);
  }

  /** Equal for leases that allow the same from now on. */
  private static long digest(@Nullable LeasedTerm leasedTerm, PrimaryScenarioState state) {
    return leasedTerm == null || !leasedTerm.term().active()
        ? 0
        : RegisterDigest.of(
            stage(leasedTerm.term()),
            state.leases.mayAnswer(leasedTerm, state.now) ? 1 + leasedTerm.sinceNanos() : 0);
  }
}
