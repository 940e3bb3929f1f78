package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of one {@link PrimaryOperation}: a phase, and the state of the sites. */
final class PrimaryOperationState<V, R> {

  private final OperationSpec<V, R> operationSpec;
  private final PrimaryRules rules;
  private final TermContext termContext;
  private final CopyTracker<V> copyTracker;
  private final CopyReplication<V> copyReplication;

  private PrimaryPhase phase = PrimaryPhase.LOOK;
  private boolean fences;
  private boolean paused;
  private boolean wroteOwn;
  private int roundTrips;
  private @Nullable Copy<V> target;
  private @Nullable VersionedCopy<V> base;
  private @Nullable Decision<V, R> decision;
  private @Nullable PrimaryOutcome<V, R> outcome;

  PrimaryOperationState(OperationSpec<V, R> operationSpec) {
    this.operationSpec = operationSpec;
    rules = operationSpec.rules();
    termContext = operationSpec.setting();
    copyTracker = operationSpec.table();
    copyReplication =
        new CopyReplication<>(rules, copyTracker, termContext.primary(), operationSpec.known());
    fences = operationSpec.fences();
  }

  PrimaryOperationState(PrimaryOperationState<V, R> other) {
    operationSpec = other.operationSpec;
    rules = other.rules;
    termContext = other.termContext;
    copyTracker = new CopyTracker<>(other.copyTracker);
    copyReplication = new CopyReplication<>(other.copyReplication, copyTracker);
    phase = other.phase;
    fences = other.fences;
    paused = other.paused;
    wroteOwn = other.wroteOwn;
    roundTrips = other.roundTrips;
    target = other.target;
    base = other.base;
    decision = other.decision;
    outcome = other.outcome;
  }

  void toCopy(Copy<V> copy) {
    target = copy;
    phase = PrimaryPhase.COPY;
  }

  List<PrimaryRequest<V>> start() {
    if (operationSpec.copies()) {
      roundTrips++;
      return toEnd(copyReplication.begin(Objects.requireNonNull(target)));
    }
    if (operationSpec.asksThePrimaryFirst()) {
      return readPrimary(new ArrayList<>());
    }
    roundTrips++;
    return copyTracker.readUnknown(site -> !copyReplication.knows(site));
  }

  List<PrimaryRequest<V>> onRead(int site, int tag, VersionedCopy<V> shown) {
    if (!copyTracker.isAwaited(site, tag)) {
      return List.of();
    }
    copyTracker.show(site, shown);
    if (shown.copy().mark().epoch() > termContext.epoch()) {
      end(new PrimaryOutcome.Superseded<>(shown.copy().mark().epoch()));
      return List.of();
    }
    return go(site);
  }

  List<PrimaryRequest<V>> onSwap(int site, int tag, boolean swapped) {
    if (!copyTracker.isAwaited(site, tag)) {
      return List.of();
    }
    copyTracker.answered(site, swapped);
    if (swapped && site != termContext.primary()) {
      copyReplication.swapped(site);
    } else if (swapped) {
      return accepted();
    }
    return go(site);
  }

  List<PrimaryRequest<V>> onLost(int site, int tag) {
    return onSwap(site, tag, false);
  }

  private List<PrimaryRequest<V>> go(int site) {
    if (outcome != null) {
      return spreadsAfter(outcome, site) ? copyReplication.go() : List.of();
    }
    List<PrimaryRequest<V>> requests =
        new ArrayList<>(copyReplication.isActive() ? copyReplication.go() : List.of());
    return switch (phase) {
      case LOOK -> look(requests);
      case GATHER -> gather(requests);
      case PROPOSE -> site == termContext.primary() ? look(requests) : requests;
      case SETTLE -> site == termContext.primary() ? settle(requests) : requests;
      case BACK_UP, COPY -> toEnd(requests);
      case COMMIT -> site == termContext.primary() ? commit(requests) : requests;
    };
  }

  private boolean spreadsAfter(PrimaryOutcome<V, R> end, int site) {
    return site != termContext.primary() && rules.mayStillSpread(end) && copyReplication.isActive();
  }

  /** The primary performed the compare-and-set. */
  private List<PrimaryRequest<V>> accepted() {
    if (outcome != null) {
      return List.of();
    }
    return switch (phase) {
      case PROPOSE -> backUp();
      case SETTLE -> {
        fences = false;
        yield look(new ArrayList<>());
      }
      case COMMIT -> done(Objects.requireNonNull(target), true);
      case LOOK, GATHER, BACK_UP, COPY ->
          throw new AssertionError("no request was sent to the primary; phase=" + phase);
    };
  }

  /** Continues from the copy that the primary shows; reads it first if it was not read since. */
  private List<PrimaryRequest<V>> look(List<PrimaryRequest<V>> requests) {
    phase = PrimaryPhase.LOOK;
    VersionedCopy<V> shown = copyTracker.shown(termContext.primary());
    if (shown == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = shown.copy();
    boolean own = fences && target != null && copy.mark().equals(target.mark());
    if (own && copy.settled()) {
      fences = false;
    }
    if (rules.isUsable(copy, termContext) && !fences) {
      return decide(shown);
    }
    if (own || (!fences && rules.isOfThisEpoch(copy, termContext))) {
      target = copy;
      return backUp();
    }
    phase = PrimaryPhase.GATHER;
    requests.addAll(copyTracker.readUnknown());
    roundTrips += requests.isEmpty() ? 0 : 1;
    return gather(requests);
  }

  private List<PrimaryRequest<V>> readPrimary(List<PrimaryRequest<V>> requests) {
    int site = termContext.primary();
    if (!copyTracker.isAwaited(site) && copyTracker.mayTry(site)) {
      roundTrips++;
      requests.add(new PrimaryRequest.Read<>(site, copyTracker.ask(site)));
    } else if (!copyTracker.isAwaited(site)) {
      paused = true;
    }
    return requests;
  }

  private List<PrimaryRequest<V>> gather(List<PrimaryRequest<V>> requests) {
    VersionedCopy<V> primary = copyTracker.shown(termContext.primary());
    if (primary == null || copyTracker.known() < rules.answersToRecover(termContext)) {
      requests.addAll(copyTracker.readUnknown());
      paused = !copyTracker.isWaiting();
      return requests;
    }
    Copy<V> found = copyTracker.latest(primary.copy(), rules, termContext);
    if (rules.isNothing(found, primary.copy(), termContext) && operationSpec.leavesAbsence()) {
      return decide(new VersionedCopy<>(found, 0));
    }
    CopyPosition mark =
        fences
            ? operationSpec.sequences().next(primary.copy().mark(), termContext.epoch())
            : operationSpec.recovered(primary.copy());
    target = found.at(mark, false);
    phase = PrimaryPhase.PROPOSE;
    return swapPrimary(requests, primary, target);
  }

  private List<PrimaryRequest<V>> swapPrimary(
      List<PrimaryRequest<V>> requests, VersionedCopy<V> shown, Copy<V> next) {
    roundTrips++;
    int site = termContext.primary();
    requests.add(new PrimaryRequest.Swap<>(site, copyTracker.ask(site), shown, next));
    return requests;
  }

  private List<PrimaryRequest<V>> backUp() {
    phase = PrimaryPhase.BACK_UP;
    roundTrips++;
    Copy<V> proposed = Objects.requireNonNull(target);
    return toEnd(copyReplication.begin(proposed.at(proposed.mark(), true)));
  }

  private List<PrimaryRequest<V>> decide(VersionedCopy<V> shown) {
    Copy<V> current = termContext.current(shown.copy());
    Decision<V, R> wanted = operationSpec.decide(current);
    decision = wanted;
    if (!wanted.writes()) {
      return done(current, false);
    }
    target = operationSpec.written(shown.copy(), wanted.value());
    base = shown;
    if (!rules.copiesFirst(termContext)) {
      return commit(new ArrayList<>());
    }
    phase = PrimaryPhase.COPY;
    roundTrips++;
    return toEnd(copyReplication.begin(target, shown.copy()));
  }

  /** Continues when enough other sites hold the copy; pauses when too few can be reached now. */
  private List<PrimaryRequest<V>> toEnd(List<PrimaryRequest<V>> requests) {
    if (copyReplication.holders() < rules.copies(termContext)) {
      paused = !copyTracker.isWaiting();
    } else if (operationSpec.copies()) {
      done(Objects.requireNonNull(target), true);
    } else {
      return phase == PrimaryPhase.COPY ? commit(requests) : settle(requests);
    }
    return requests;
  }

  /**
   * Settles the recovered copy. A compare-and-set does not return the new entry version, so the
   * primary is read once more.
   */
  private List<PrimaryRequest<V>> settle(List<PrimaryRequest<V>> requests) {
    phase = PrimaryPhase.SETTLE;
    VersionedCopy<V> shown = copyTracker.shown(termContext.primary());
    Copy<V> proposed = Objects.requireNonNull(target);
    if (shown == null) {
      return readPrimary(requests);
    }
    if (!shown.copy().mark().equals(proposed.mark()) || shown.copy().settled()) {
      return look(requests);
    }
    return swapPrimary(requests, shown, proposed.at(proposed.mark(), true));
  }

  private List<PrimaryRequest<V>> commit(List<PrimaryRequest<V>> requests) {
    boolean first = phase != PrimaryPhase.COMMIT;
    phase = PrimaryPhase.COMMIT;
    Copy<V> written = Objects.requireNonNull(target);
    VersionedCopy<V> decidedOn = Objects.requireNonNull(base);
    VersionedCopy<V> shown = first ? decidedOn : copyTracker.shown(termContext.primary());
    if (shown == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = shown.copy();
    if (copy.mark().equals(written.mark())) {
      done(written, true);
      return requests;
    }
    if (!rules.isStill(decidedOn.copy(), copy, termContext)) {
      outcome = new PrimaryOutcome.Unknown<>();
      return requests;
    }
    wroteOwn = true;
    swapPrimary(requests, shown, written);
    if (rules.acknowledgesWhenSent()) {
      done(written, true);
    }
    return requests;
  }

  private List<PrimaryRequest<V>> done(Copy<V> copy, boolean wrote) {
    outcome = new PrimaryOutcome.Done<>(decision == null ? null : decision.result(), copy, wrote);
    return List.of();
  }

  boolean mayHaveWritten() {
    return wroteOwn
        || (copyReplication.wasSent()
            && (phase == PrimaryPhase.COPY || phase == PrimaryPhase.COMMIT));
  }

  boolean recovers() {
    return outcome == null && operationSpec.recovers() && !mayHaveWritten();
  }

  /**
   * The stamp of the value on which the operation decided; {@link Stamp#NONE} if there was none.
   */
  Stamp replaced() {
    return base == null ? Stamp.NONE : termContext.current(base.copy()).origin();
  }

  Optional<Copy<V>> proposed() {
    return base == null ? Optional.empty() : Optional.ofNullable(target);
  }

  private PrimaryOutcome<V, R> end(PrimaryOutcome<V, R> withoutEffect) {
    if (outcome == null) {
      outcome = mayHaveWritten() ? new PrimaryOutcome.Unknown<>() : withoutEffect;
    }
    return outcome;
  }

  boolean isPaused() {
    return paused && outcome == null;
  }

  List<PrimaryRequest<V>> resume() {
    if (!isPaused()) {
      return List.of();
    }
    paused = false;
    copyTracker.freshTries();
    return go(termContext.primary());
  }

  PrimaryOutcome<V, R> expire() {
    return end(new PrimaryOutcome.Refused<>());
  }

  Optional<PrimaryOutcome<V, R>> outcome() {
    return Optional.ofNullable(outcome);
  }

  int holders() {
    return copyReplication.holders();
  }

  int roundTrips() {
    return roundTrips;
  }

  boolean awaits(int site, int tag) {
    return copyTracker.isAwaited(site, tag) && (outcome == null || spreadsAfter(outcome, site));
  }

  long digest() {
    long hash = RegisterDigest.of(phase.ordinal(), operationSpec.digest());
    hash = RegisterDigest.of(hash, (fences ? 1 : 0) + (paused ? 2 : 0) + (wroteOwn ? 4 : 0));
    hash = RegisterDigest.of(hash, CopyTracker.digest(target));
    VersionedCopy<V> from = base;
    hash =
        RegisterDigest.of(
            hash,
            from == null ? 0 : RegisterDigest.of(from.token(), CopyTracker.digest(from.copy())));
    hash =
        RegisterDigest.of(hash, RegisterDigest.of(copyTracker.digest(), copyReplication.digest()));
    return RegisterDigest.of(hash, outcome == null ? 0 : 1 + outcome.hashCode());
  }
}
