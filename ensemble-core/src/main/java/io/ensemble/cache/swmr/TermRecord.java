package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.TermMetrics;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.primary.VoterSet;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The record of a cache's terms, as one process sees and changes it. Every response of the control
 * register, to a read or to a compare-and-set, renews the lease on the term that it shows. The
 * lease counts from the time of the request. Thread-safe.
 */
final class TermRecord {

  private final VoterSets voterSets;
  private final Scheduler scheduler;
  private final TermLeaseRules termLeaseRules;
  private final WriterId self;
  private final Deadlines deadlines;
  private final TermMetrics metrics;

  private volatile Consumer<LeasedTerm> termListener = leasedTerm -> {};

  /** How long one read of the record may take. */
  interface Deadlines {
    Deadline soon();
  }

  /**
   * The place of the terms of a voter set.
   *
   * @param control a register over the voters
   * @param key of the record there
   */
  record TermLocation(VoterSet voterSet, CacheEngine control, Bytes key) {}

  // The fields below are guarded by this object's lock.
  private TermLocation register;
  private @Nullable LeasedTerm leasedTerm;
  private long seenAtNanos;
  private long stageSeenAtNanos;
  private @Nullable LeasedTerm termBeforePrimaryChange;
  private @Nullable LeasedTerm termBeforeSignOfLife;
  private long wholeSinceNanos;
  private @Nullable CompletableFuture<LeasedTerm> pendingRead;

  TermRecord(CacheEngine control, Bytes key, EngineContext cache, TermLeaseRules termLeaseRules) {
    this.voterSets = new VoterSets(cache);
    this.register = new TermLocation(voterSets.latestVoterSet(), control, key);
    this.scheduler = cache.scheduler();
    this.termLeaseRules = termLeaseRules;
    this.self = cache.writer();
    this.deadlines = () -> new Deadline(scheduler.nanos() + termLeaseRules.outwaitNanos());
    this.metrics = new TermMetrics(cache.metrics());
    metrics.show(
        cache.definition().sites(),
        () -> last().map(seen -> (double) seen.term().epoch()).orElse(Double.NaN),
        site -> last().filter(seen -> seen.term().primary().equals(site)).isPresent());
  }

  /** The cache as the voter set sees it that keeps its terms. */
  VoterSets voterSets() {
    return voterSets;
  }

  /**
   * Uses the terms of {@code next}, if its voter set is later, and renews the stores before its
   * record is read. A lease held now remains valid until it expires or a term of the new voter set
   * is seen. The lease ends immediately if {@linkplain VoterSets#haveNewStores one of its voters
   * has another store}.
   */
  void follow(TermLocation next, Runnable renew) {
    CompletableFuture<LeasedTerm> interruptedRead;
    synchronized (this) {
      boolean isLater = voterSets.follow(next.voterSet());
      renew.run();
      if (!isLater) {
        return;
      }
      register = next;
      interruptedRead = pendingRead;
      pendingRead = null;
    }
    if (interruptedRead != null) {
      interruptedRead.completeExceptionally(
          new NotKnownException()); // Read from a record that has ended.
    }
  }

  private synchronized TermLocation register() {
    return register;
  }

  TermMetrics metrics() {
    return metrics;
  }

  /** From now on reports each term seen to {@code listener}, on the thread that sees it. */
  void watch(Consumer<LeasedTerm> listener) {
    termListener = listener;
  }

  /** The term seen last, whether or not its lease is valid now. */
  synchronized Optional<LeasedTerm> last() {
    return Optional.ofNullable(leasedTerm);
  }

  /** The present lease on the term of {@code epoch}, renewed or expired. */
  synchronized Optional<LeasedTerm> of(long epoch) {
    return last().filter(current -> current.term().epoch() == epoch);
  }

  /**
   * Whether {@code term} is still the present one, by {@code rule}. If its lease has expired
   * meanwhile, the record is read once more: an epoch that is present now was present all along.
   */
  CompletionStage<Boolean> checkStillAllowed(Term term, BiPredicate<LeasedTerm, Long> rule) {
    return isAllowedBy(term, rule)
        ? CompletableFuture.completedFuture(true)
        : readLatest().handle((seen, failure) -> isAllowedBy(term, rule));
  }

  private boolean isAllowedBy(Term term, BiPredicate<LeasedTerm, Long> rule) {
    return of(term.epoch())
        .filter(current -> rule.test(current, scheduler.nanos()) && !voterSets.haveNewStores(term))
        .isPresent();
  }

  boolean isLeaseValid(LeasedTerm current) {
    return termLeaseRules.holds(current, scheduler.nanos())
        && !voterSets.haveNewStores(current.term());
  }

  boolean isOwn(Term term) {
    return term.writer().equals(self);
  }

  /**
   * Whether the record has not changed for so long that all leases on earlier terms have expired.
   */
  synchronized boolean isLeaseExpired(Term term) {
    LeasedTerm current = leasedTerm;
    return current != null
        && current.term().equals(term)
        && termLeaseRules.hasOutwaited(seenAtNanos, scheduler.nanos());
  }

  /**
   * Whether the primary of {@code term} became the primary less than {@code nanos} ago, as known to
   * this process. The process must have seen another primary in that time; otherwise the result is
   * false.
   */
  synchronized boolean hasNewPrimary(Term term, long nanos) {
    LeasedTerm current = leasedTerm;
    LeasedTerm termBeforeChange = termBeforePrimaryChange;
    return current != null
        && termBeforeChange != null
        && current.term().primary().equals(term.primary())
        && scheduler.nanos() - termBeforeChange.sinceNanos() < nanos;
  }

  /**
   * Whether the writer of {@code term} is known to have been alive at some moment of the last
   * lease.
   */
  synchronized boolean isWriterAlive(Term term) {
    LeasedTerm current = leasedTerm;
    LeasedTerm previous = termBeforeSignOfLife;
    return current != null
        && previous != null
        && current.term().writer().equals(term.writer())
        && scheduler.nanos() - previous.sinceNanos() < termLeaseRules.leaseNanos();
  }

  /** Whether this process has seen {@code term} as whole for at least {@code nanos}. */
  synchronized boolean hasBeenWhole(Term term, long nanos) {
    LeasedTerm current = leasedTerm;
    return current != null
        && current.term().epoch() == term.epoch()
        && current.term().isWhole()
        && scheduler.nanos() - wholeSinceNanos >= nanos;
  }

  /** Whether all keys may be scanned, to recover them or, afterwards, to close the term. */
  synchronized boolean canRecoverKeys(Term term) {
    LeasedTerm current = leasedTerm;
    return current != null
        && isSameStage(current.term(), term)
        && (term.isRecovered()
            ? termLeaseRules.mayClose(stageSeenAtNanos, scheduler.nanos())
            : termLeaseRules.mayRecoverAll(stageSeenAtNanos, scheduler.nanos()));
  }

  private static boolean isSameStage(Term one, Term other) {
    return one.epoch() == other.epoch() && one.isRecovered() == other.isRecovered();
  }

  /** Whether a key may be recovered into {@code term} at this moment. */
  boolean mayRecover(Term term) {
    return isAllowedBy(term, termLeaseRules::mayRecover);
  }

  /**
   * Reads the record; begins the voter set's first term if there is none. Concurrent calls share
   * one read. Fails with {@link QuorumUnavailableException}.
   */
  CompletionStage<LeasedTerm> readLatest() {
    CompletableFuture<LeasedTerm> result;
    TermLocation source;
    synchronized (this) {
      source = register;
      if (pendingRead != null) {
        return pendingRead;
      }
      result = new CompletableFuture<>();
      pendingRead = result;
    }
    long askedNanos = scheduler.nanos();
    readRecord(source)
        .thenCompose(
            found ->
                found.isPresent()
                    ? CompletableFuture.completedFuture(
                        recordTerm(TermCodec.decode(found.get().value()), askedNanos))
                    : createRecord(source))
        .whenComplete(
            (readTerm, failure) -> {
              synchronized (this) {
                pendingRead = pendingRead == result ? null : pendingRead;
              }
              if (failure == null) {
                result.complete(readTerm);
              } else {
                metrics.renewalFailed();
                result.completeExceptionally(failure);
              }
            });
    return result;
  }

  /** Any exception of the register fails the stage; the next call must read anew. */
  private CompletionStage<Optional<Payload>> readRecord(TermLocation source) {
    try {
      return source.control().read(source.key(), deadlines.soon());
    } catch (RuntimeException | Error thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  private CompletionStage<LeasedTerm> createRecord(TermLocation source) {
    return change(source, null, source.voterSet().firstTerm());
  }

  /**
   * Replaces {@code expected} by {@code next}, if {@code expected} is still present. Returns the
   * term present afterwards; fails when that is not known.
   */
  CompletionStage<LeasedTerm> change(Term expected, Term next) {
    CompletionStage<LeasedTerm> present = change(register(), expected, next);
    present.whenComplete(
        (seen, failure) -> {
          if (failure != null) {
            metrics.renewalFailed();
          }
        });
    return present;
  }

  private CompletionStage<LeasedTerm> change(
      TermLocation source, @Nullable Term expected, Term next) {
    long askedNanos = scheduler.nanos();
    return source
        .control()
        .<Term>update(
            source.key(),
            found -> {
              Term current = found == null ? null : TermCodec.decode(found.value());
              boolean isExpected = current == null ? expected == null : current.equals(expected);
              return isExpected
                  ? Decision.write(TermCodec.encode(next), next)
                  : Decision.keep(current); // Null, a missing record, is not known.
            },
            deadlines.soon())
        .thenApply(
            outcome -> {
              if (outcome instanceof WriteOutcome.Applied<Term> applied
                  && applied.result() != null) {
                return recordTerm(applied.result(), askedNanos);
              }
              throw new NotKnownException();
            });
  }

  /** A compare-and-set of the record that was refused, or has an unknown effect. */
  static final class NotKnownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotKnownException() {
      super("the control register did not return its record", null, false, false);
    }
  }

  /** Responses may overtake each other: an older term does not replace a later one. */
  private LeasedTerm recordTerm(Term term, long askedNanos) {
    LeasedTerm now = new LeasedTerm(term, askedNanos);
    updateState(now);
    termListener.accept(now);
    return now;
  }

  private synchronized void updateState(LeasedTerm now) {
    LeasedTerm previous = leasedTerm;
    Term term = now.term();
    if (previous != null && isOlder(now, previous)) {
      return;
    }
    metrics.renewed();
    if (previous != null && !previous.term().primary().equals(term.primary())) {
      metrics.primaryChanged();
      termBeforePrimaryChange = previous;
    }
    if (previous != null && term.isSignOfLifeSince(previous.term())) {
      termBeforeSignOfLife = previous; // The sign of life is later than that request.
    }
    if (previous == null || !previous.term().equals(term)) {
      seenAtNanos = scheduler.nanos();
    }
    if (previous == null || previous.term().epoch() != term.epoch() || !previous.term().isWhole()) {
      wholeSinceNanos = scheduler.nanos(); // If whole; otherwise a later term sets the time.
    }
    if (previous == null || !isSameStage(previous.term(), term)) {
      stageSeenAtNanos = scheduler.nanos();
    }
    leasedTerm = now;
  }

  private static boolean isOlder(LeasedTerm one, LeasedTerm other) {
    long byEpoch = one.term().epoch() - other.term().epoch();
    long byBeat = one.term().beat() - other.term().beat();
    return byEpoch < 0
        || (byEpoch == 0
            && (byBeat < 0 || (byBeat == 0 && one.sinceNanos() - other.sinceNanos() < 0)));
  }
}
