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
    termContext = operationSpec.termContext();
    copyTracker = operationSpec.createTracker();
    copyReplication =
        new CopyReplication<>(
            rules, copyTracker, termContext.primary(), operationSpec.knownCopies());
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
    if (operationSpec.isCopyOnly()) {
      roundTrips++;
      return continueWhenCopied(copyReplication.begin(Objects.requireNonNull(target)));
    }
    if (operationSpec.asksThePrimaryFirst()) {
      return readPrimary(new ArrayList<>());
    }
    roundTrips++;
    return copyTracker.readUnknown(site -> !copyReplication.isKnown(site));
  }

  List<PrimaryRequest<V>> onRead(int site, int tag, VersionedCopy<V> versionedCopy) {
    if (!copyTracker.isAwaited(site, tag)) {
      return List.of();
    }
    copyTracker.recordCopy(site, versionedCopy);
    if (versionedCopy.copy().mark().epoch() > termContext.epoch()) {
      finish(new PrimaryOutcome.Superseded<>(versionedCopy.copy().mark().epoch()));
      return List.of();
    }
    return continueAfter(site);
  }

  List<PrimaryRequest<V>> onSwap(int site, int tag, boolean swapped) {
    if (!copyTracker.isAwaited(site, tag)) {
      return List.of();
    }
    copyTracker.recordResponse(site, swapped);
    if (swapped && site != termContext.primary()) {
      copyReplication.recordSwap(site);
    } else if (swapped) {
      return continueAfterPrimarySwap();
    }
    return continueAfter(site);
  }

  List<PrimaryRequest<V>> onLost(int site, int tag) {
    return onSwap(site, tag, false);
  }

  private List<PrimaryRequest<V>> continueAfter(int site) {
    if (outcome != null) {
      return canReplicateAfter(outcome, site) ? copyReplication.sendRequests() : List.of();
    }
    List<PrimaryRequest<V>> requests =
        new ArrayList<>(copyReplication.isActive() ? copyReplication.sendRequests() : List.of());
    return switch (phase) {
      case LOOK -> inspectPrimary(requests);
      case GATHER -> gatherCopies(requests);
      case PROPOSE -> site == termContext.primary() ? inspectPrimary(requests) : requests;
      case SETTLE -> site == termContext.primary() ? settlePrimary(requests) : requests;
      case BACK_UP, COPY -> continueWhenCopied(requests);
      case COMMIT -> site == termContext.primary() ? commitToPrimary(requests) : requests;
    };
  }

  private boolean canReplicateAfter(PrimaryOutcome<V, R> finalOutcome, int site) {
    return site != termContext.primary()
        && rules.canStillReplicate(finalOutcome)
        && copyReplication.isActive();
  }

  /** The primary performed the compare-and-set. */
  private List<PrimaryRequest<V>> continueAfterPrimarySwap() {
    if (outcome != null) {
      return List.of();
    }
    return switch (phase) {
      case PROPOSE -> copyToBackups();
      case SETTLE -> {
        fences = false;
        yield inspectPrimary(new ArrayList<>());
      }
      case COMMIT -> complete(Objects.requireNonNull(target), true);
      case LOOK, GATHER, BACK_UP, COPY ->
          throw new AssertionError("no request was sent to the primary; phase=" + phase);
    };
  }

  /** Continues from the copy that the primary shows; reads it first if it was not read since. */
  private List<PrimaryRequest<V>> inspectPrimary(List<PrimaryRequest<V>> requests) {
    phase = PrimaryPhase.LOOK;
    VersionedCopy<V> versionedCopy = copyTracker.copyOf(termContext.primary());
    if (versionedCopy == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = versionedCopy.copy();
    boolean isOwn = fences && target != null && copy.mark().equals(target.mark());
    if (isOwn && copy.settled()) {
      fences = false;
    }
    if (rules.isUsable(copy, termContext) && !fences) {
      return decide(versionedCopy);
    }
    if (isOwn || (!fences && rules.isOfThisEpoch(copy, termContext))) {
      target = copy;
      return copyToBackups();
    }
    phase = PrimaryPhase.GATHER;
    requests.addAll(copyTracker.readUnknown());
    roundTrips += requests.isEmpty() ? 0 : 1;
    return gatherCopies(requests);
  }

  private List<PrimaryRequest<V>> readPrimary(List<PrimaryRequest<V>> requests) {
    int site = termContext.primary();
    if (!copyTracker.isAwaited(site) && copyTracker.canTry(site)) {
      roundTrips++;
      requests.add(new PrimaryRequest.Read<>(site, copyTracker.beginRequest(site)));
    } else if (!copyTracker.isAwaited(site)) {
      paused = true;
    }
    return requests;
  }

  private List<PrimaryRequest<V>> gatherCopies(List<PrimaryRequest<V>> requests) {
    VersionedCopy<V> primary = copyTracker.copyOf(termContext.primary());
    if (primary == null || copyTracker.countKnown() < rules.answersToRecover(termContext)) {
      requests.addAll(copyTracker.readUnknown());
      paused = !copyTracker.isWaiting();
      return requests;
    }
    Copy<V> latest = copyTracker.latest(primary.copy(), rules, termContext);
    if (rules.isAbsence(latest, primary.copy(), termContext) && operationSpec.leavesAbsence()) {
      return decide(new VersionedCopy<>(latest, 0));
    }
    CopyPosition position =
        fences
            ? operationSpec.sequences().next(primary.copy(), termContext.epoch())
            : operationSpec.recoveryPosition(primary.copy());
    target = latest.withPosition(position, false);
    phase = PrimaryPhase.PROPOSE;
    return swapPrimary(requests, primary, target);
  }

  private List<PrimaryRequest<V>> swapPrimary(
      List<PrimaryRequest<V>> requests, VersionedCopy<V> versionedCopy, Copy<V> nextCopy) {
    roundTrips++;
    int site = termContext.primary();
    requests.add(
        new PrimaryRequest.Swap<>(site, copyTracker.beginRequest(site), versionedCopy, nextCopy));
    return requests;
  }

  private List<PrimaryRequest<V>> copyToBackups() {
    phase = PrimaryPhase.BACK_UP;
    roundTrips++;
    Copy<V> proposed = Objects.requireNonNull(target);
    return continueWhenCopied(copyReplication.begin(proposed.withPosition(proposed.mark(), true)));
  }

  private List<PrimaryRequest<V>> decide(VersionedCopy<V> versionedCopy) {
    Copy<V> current = termContext.current(versionedCopy.copy());
    Decision<V, R> newDecision = operationSpec.decide(current);
    decision = newDecision;
    if (!newDecision.writes()) {
      return complete(current, false);
    }
    target = operationSpec.newCopy(versionedCopy.copy(), newDecision.value());
    base = versionedCopy;
    if (!rules.copiesFirst(termContext)) {
      return commitToPrimary(new ArrayList<>());
    }
    phase = PrimaryPhase.COPY;
    roundTrips++;
    return continueWhenCopied(copyReplication.begin(target, versionedCopy.copy()));
  }

  /** Continues when enough other sites hold the copy; pauses when too few can be reached now. */
  private List<PrimaryRequest<V>> continueWhenCopied(List<PrimaryRequest<V>> requests) {
    if (copyReplication.holders() < rules.requiredCopies(termContext)) {
      paused = !copyTracker.isWaiting();
    } else if (operationSpec.isCopyOnly()) {
      complete(Objects.requireNonNull(target), true);
    } else {
      return phase == PrimaryPhase.COPY ? commitToPrimary(requests) : settlePrimary(requests);
    }
    return requests;
  }

  /**
   * Settles the recovered copy. A compare-and-set does not return the new entry version, so the
   * primary is read once more.
   */
  private List<PrimaryRequest<V>> settlePrimary(List<PrimaryRequest<V>> requests) {
    phase = PrimaryPhase.SETTLE;
    VersionedCopy<V> versionedCopy = copyTracker.copyOf(termContext.primary());
    Copy<V> proposed = Objects.requireNonNull(target);
    if (versionedCopy == null) {
      return readPrimary(requests);
    }
    if (!versionedCopy.copy().mark().equals(proposed.mark()) || versionedCopy.copy().settled()) {
      return inspectPrimary(requests);
    }
    return swapPrimary(requests, versionedCopy, proposed.withPosition(proposed.mark(), true));
  }

  private List<PrimaryRequest<V>> commitToPrimary(List<PrimaryRequest<V>> requests) {
    boolean isFirst = phase != PrimaryPhase.COMMIT;
    phase = PrimaryPhase.COMMIT;
    Copy<V> written = Objects.requireNonNull(target);
    VersionedCopy<V> decidedOn = Objects.requireNonNull(base);
    VersionedCopy<V> versionedCopy =
        isFirst ? decidedOn : copyTracker.copyOf(termContext.primary());
    if (versionedCopy == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = versionedCopy.copy();
    if (copy.mark().equals(written.mark())) {
      complete(written, true);
      return requests;
    }
    if (!rules.isUnchanged(decidedOn.copy(), copy, termContext)) {
      outcome = new PrimaryOutcome.Unknown<>();
      return requests;
    }
    wroteOwn = true;
    swapPrimary(requests, versionedCopy, written);
    if (rules.acknowledgesWhenSent()) {
      complete(written, true);
    }
    return requests;
  }

  private List<PrimaryRequest<V>> complete(Copy<V> copy, boolean wrote) {
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

  private PrimaryOutcome<V, R> finish(PrimaryOutcome<V, R> refusal) {
    if (outcome == null) {
      outcome = mayHaveWritten() ? new PrimaryOutcome.Unknown<>() : refusal;
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
    copyTracker.resetTries();
    return continueAfter(termContext.primary());
  }

  PrimaryOutcome<V, R> expire() {
    return finish(new PrimaryOutcome.Refused<>());
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
    return copyTracker.isAwaited(site, tag)
        && (outcome == null || canReplicateAfter(outcome, site));
  }

  long digest() {
    long hash = RegisterDigest.of(phase.ordinal(), operationSpec.digest());
    hash = RegisterDigest.of(hash, (fences ? 1 : 0) + (paused ? 2 : 0) + (wroteOwn ? 4 : 0));
    hash = RegisterDigest.of(hash, CopyTracker.digest(target));
    VersionedCopy<V> baseCopy = base;
    hash =
        RegisterDigest.of(
            hash,
            baseCopy == null
                ? 0
                : RegisterDigest.of(baseCopy.token(), CopyTracker.digest(baseCopy.copy())));
    hash =
        RegisterDigest.of(hash, RegisterDigest.of(copyTracker.digest(), copyReplication.digest()));
    return RegisterDigest.of(hash, outcome == null ? 0 : 1 + outcome.hashCode());
  }
}
