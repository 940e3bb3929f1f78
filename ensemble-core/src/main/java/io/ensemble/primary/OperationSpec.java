package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import org.jspecify.annotations.Nullable;

/**
 * The purpose of an operation, and the term in which it takes place.
 *
 * @param sequences for writes and fences
 * @param knownCopies the copies that sites showed before; usually {@link KnownCopies#nothing()}
 */
record OperationSpec<V, R>(
    PrimaryRules rules,
    TermContext termContext,
    OperationKind kind,
    Update<V, R> update,
    SequenceGenerator sequences,
    KnownCopies<V> knownCopies) {

  OperationSpec(
      PrimaryRules rules,
      TermContext termContext,
      OperationKind kind,
      Update<V, R> update,
      SequenceGenerator sequences) {
    this(rules, termContext, kind, update, sequences, KnownCopies.nothing());
  }

  /** A tracker for the start of the operation, without any copy. */
  CopyTracker<V> createTracker() {
    return rules.createTracker(termContext, knownCopies);
  }

  boolean fences() {
    return kind == OperationKind.FENCED_WRITE;
  }

  boolean isCopyOnly() {
    return kind == OperationKind.COPY;
  }

  /** Whether the operation asks the primary before any other site. */
  boolean asksThePrimaryFirst() {
    return kind == OperationKind.READ
        || (kind == OperationKind.WRITE && !rules.copiesFirst(termContext));
  }

  /** Whether the operation ends where it finds no copy, and stores none there. */
  boolean leavesAbsence() {
    return kind == OperationKind.READ || kind == OperationKind.RECOVER;
  }

  /** Whether the operation may bring copies of former epochs into this one. */
  boolean recovers() {
    return !isCopyOnly() && !termContext.isRecovered();
  }

  /** The position of a copy that replaces {@code atPrimary}, which does not count in this epoch. */
  CopyPosition recoveryPosition(Copy<V> atPrimary) {
    return atPrimary.mark().epoch() < termContext.epoch()
        ? CopyPosition.ofRecovery(termContext.epoch())
        : CopyPosition.ofAbsence(termContext.epoch());
  }

  /** A write of this operation's own, over {@code atPrimary}. */
  Copy<V> newCopy(Copy<V> atPrimary, @Nullable V value) {
    CopyPosition mark = sequences.next(atPrimary, termContext.epoch());
    return new Copy<>(mark, true, sequences.stamp(mark), value);
  }

  Decision<V, R> decide(Copy<V> current) {
    return update.decide(current.value());
  }

  long digest() {
    return RegisterDigest.of(kind.ordinal(), termContext.hashCode());
  }
}
