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

  private volatile Consumer<LeasedTerm> watcher = leasedTerm -> {};

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
  record Register(VoterSet roll, CacheEngine control, Bytes key) {}

  // The fields below are guarded by this object's lock.
  private Register register;
  private @Nullable LeasedTerm leasedTerm;
  private long seenAtNanos;
  private long stageSeenAtNanos;
  private @Nullable LeasedTerm withOtherPrimary;
  private @Nullable LeasedTerm beforeSignOfLife;
  private long wholeSeenAtNanos;
  private @Nullable CompletableFuture<LeasedTerm> looking;

  TermRecord(CacheEngine control, Bytes key, EngineContext cache, TermLeaseRules termLeaseRules) {
    this.voterSets = new VoterSets(cache);
    this.register = new Register(voterSets.present(), control, key);
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
  VoterSets rolls() {
    return voterSets;
  }

  /**
   * Uses the terms of {@code next}, if its voter set is later, and renews the stores before its
   * record is read. A lease held now remains valid until it expires or a term of the new voter set
   * is seen. The lease ends immediately if {@linkplain VoterSets#haveNewStores one of its voters
   * has another store}.
   */
  void follow(Register next, Runnable renew) {
    CompletableFuture<LeasedTerm> former;
    synchronized (this) {
      boolean isLater = voterSets.follow(next.roll());
      renew.run();
      if (!isLater) {
        return;
      }
      register = next;
      former = looking;
      looking = null;
    }
    if (former != null) {
      former.completeExceptionally(new NotKnownException()); // Read from a record that has ended.
    }
  }

  private synchronized Register register() {
    return register;
  }

  TermMetrics metrics() {
    return metrics;
  }

  /** From now on reports each term seen to {@code told}, on the thread that sees it. */
  void watch(Consumer<LeasedTerm> told) {
    watcher = told;
  }

  /** The term seen last, whether or not its lease is valid now. */
  synchronized Optional<LeasedTerm> last() {
    return Optional.ofNullable(leasedTerm);
  }

  /** The present lease on the term of {@code epoch}, renewed or expired. */
  synchronized Optional<LeasedTerm> of(long epoch) {
    return last().filter(present -> present.term().epoch() == epoch);
  }

  /**
   * Whether {@code term} is still the present one, by {@code rule}. If its lease has expired
   * meanwhile, the record is read once more: an epoch that is present now was present all along.
   */
  CompletionStage<Boolean> lastsUntilNow(Term term, BiPredicate<LeasedTerm, Long> rule) {
    return obeys(term, rule)
        ? CompletableFuture.completedFuture(true)
        : look().handle((seen, failure) -> obeys(term, rule));
  }

  private boolean obeys(Term term, BiPredicate<LeasedTerm, Long> rule) {
    return of(term.epoch())
        .filter(present -> rule.test(present, scheduler.nanos()) && !voterSets.haveNewStores(term))
        .isPresent();
  }

  boolean holds(LeasedTerm present) {
    return termLeaseRules.holds(present, scheduler.nanos())
        && !voterSets.haveNewStores(present.term());
  }

  boolean isOwn(Term term) {
    return term.writer().equals(self);
  }

  /**
   * Whether the record has not changed for so long that all leases on earlier terms have expired.
   */
  synchronized boolean hasStoodStill(Term term) {
    LeasedTerm present = leasedTerm;
    return present != null
        && present.term().equals(term)
        && termLeaseRules.hasOutwaited(seenAtNanos, scheduler.nanos());
  }

  /**
   * Whether the primary of {@code term} became the primary less than {@code nanos} ago, as known to
   * this process. The process must have seen another primary in that time; otherwise the result is
   * false.
   */
  synchronized boolean hasNewPrimary(Term term, long nanos) {
    LeasedTerm present = leasedTerm;
    LeasedTerm former = withOtherPrimary;
    return present != null
        && former != null
        && present.term().primary().equals(term.primary())
        && scheduler.nanos() - former.sinceNanos() < nanos;
  }

  /**
   * Whether the writer of {@code term} is known to have been alive at some moment of the last
   * lease.
   */
  synchronized boolean isWriterAlive(Term term) {
    LeasedTerm present = leasedTerm;
    LeasedTerm before = beforeSignOfLife;
    return present != null
        && before != null
        && present.term().writer().equals(term.writer())
        && scheduler.nanos() - before.sinceNanos() < termLeaseRules.leaseNanos();
  }

  /** Whether this process has seen {@code term} as whole for at least {@code nanos}. */
  synchronized boolean hasBeenWhole(Term term, long nanos) {
    LeasedTerm present = leasedTerm;
    return present != null
        && present.term().epoch() == term.epoch()
        && present.term().isWhole()
        && scheduler.nanos() - wholeSeenAtNanos >= nanos;
  }

  /** Whether all keys may be scanned, to recover them or, afterwards, to close the term. */
  synchronized boolean mayWalk(Term term) {
    LeasedTerm present = leasedTerm;
    return present != null
        && isSameStage(present.term(), term)
        && (term.isRecovered()
            ? termLeaseRules.mayClose(stageSeenAtNanos, scheduler.nanos())
            : termLeaseRules.mayRecoverAll(stageSeenAtNanos, scheduler.nanos()));
  }

  private static boolean isSameStage(Term one, Term other) {
    return one.epoch() == other.epoch() && one.isRecovered() == other.isRecovered();
  }

  /** Whether a key may be recovered into {@code term} at this moment. */
  boolean mayRecover(Term term) {
    return obeys(term, termLeaseRules::mayRecover);
  }

  /**
   * Reads the record; begins the voter set's first term if there is none. Concurrent calls share
   * one read. Fails with {@link QuorumUnavailableException}.
   */
  CompletionStage<LeasedTerm> look() {
    CompletableFuture<LeasedTerm> own;
    Register from;
    synchronized (this) {
      from = register;
      if (looking != null) {
        return looking;
      }
      own = new CompletableFuture<>();
      looking = own;
    }
    long asked = scheduler.nanos();
    read(from)
        .thenCompose(
            found ->
                found.isPresent()
                    ? CompletableFuture.completedFuture(
                        saw(TermCodec.decode(found.get().value()), asked))
                    : begin(from))
        .whenComplete(
            (seen, failure) -> {
              synchronized (this) {
                looking = looking == own ? null : looking;
              }
              if (failure == null) {
                own.complete(seen);
              } else {
                own.completeExceptionally(failure);
              }
            });
    return own;
  }

  /** Any exception of the register fails the stage; the next call must read anew. */
  private CompletionStage<Optional<Payload>> read(Register from) {
    try {
      return from.control().read(from.key(), deadlines.soon());
    } catch (RuntimeException | Error thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  private CompletionStage<LeasedTerm> begin(Register from) {
    return change(from, null, from.roll().firstTerm());
  }

  /**
   * Replaces {@code expected} by {@code next}, if {@code expected} is still present. Returns the
   * term present afterwards; fails when that is not known.
   */
  CompletionStage<LeasedTerm> change(Term expected, Term next) {
    return change(register(), expected, next);
  }

  private CompletionStage<LeasedTerm> change(Register in, @Nullable Term expected, Term next) {
    long asked = scheduler.nanos();
    return in.control()
        .<Term>update(
            in.key(),
            found -> {
              Term present = found == null ? null : TermCodec.decode(found.value());
              boolean same = present == null ? expected == null : present.equals(expected);
              return same
                  ? Decision.write(TermCodec.encode(next), next)
                  : Decision.keep(present); // Null, a missing record, is not known.
            },
            deadlines.soon())
        .thenApply(
            outcome -> {
              if (outcome instanceof WriteOutcome.Applied<Term> applied
                  && applied.result() != null) {
                return saw(applied.result(), asked);
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
  private LeasedTerm saw(Term term, long askedNanos) {
    LeasedTerm now = new LeasedTerm(term, askedNanos);
    remember(now);
    watcher.accept(now);
    return now;
  }

  private synchronized void remember(LeasedTerm now) {
    LeasedTerm before = leasedTerm;
    Term term = now.term();
    if (before != null && isOlder(now, before)) {
      return;
    }
    metrics.renewed();
    if (before != null && !before.term().primary().equals(term.primary())) {
      metrics.primaryChanged();
      withOtherPrimary = before;
    }
    if (before != null && term.isSignOfLifeSince(before.term())) {
      beforeSignOfLife = before; // The sign of life is later than that request.
    }
    if (before == null || !before.term().equals(term)) {
      seenAtNanos = scheduler.nanos();
    }
    if (before == null || before.term().epoch() != term.epoch() || !before.term().isWhole()) {
      wholeSeenAtNanos = scheduler.nanos(); // If whole; otherwise a later term sets the time.
    }
    if (before == null || !isSameStage(before.term(), term)) {
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
