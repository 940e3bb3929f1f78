package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import org.jspecify.annotations.Nullable;

/**
 * The purpose of an operation, and the term in which it takes place.
 *
 * @param sequences for writes and fences
 * @param known the copies that sites showed before; usually {@link KnownCopies#nothing()}
 */
record OperationSpec<V, R>(
    PrimaryRules rules,
    TermContext setting,
    OperationKind kind,
    Update<V, R> update,
    SequenceGenerator sequences,
    KnownCopies<V> known) {

  OperationSpec(
      PrimaryRules rules,
      TermContext setting,
      OperationKind kind,
      Update<V, R> update,
      SequenceGenerator sequences) {
    this(rules, setting, kind, update, sequences, KnownCopies.nothing());
  }

  /** A tracker for the start of the operation, without any copy. */
  CopyTracker<V> table() {
    return rules.table(setting, known);
  }

  boolean fences() {
    return kind == OperationKind.FENCED_WRITE;
  }

  boolean copies() {
    return kind == OperationKind.COPY;
  }

  /** Whether the operation asks the primary before any other site. */
  boolean asksThePrimaryFirst() {
    return kind == OperationKind.READ
        || (kind == OperationKind.WRITE && !rules.copiesFirst(setting));
  }

  /** Whether the operation ends where it finds no copy, and stores none there. */
  boolean leavesAbsence() {
    return kind == OperationKind.READ || kind == OperationKind.RECOVER;
  }

  /** Whether the operation may bring copies of former epochs into this one. */
  boolean recovers() {
    return !copies() && !setting.isRecovered();
  }

  /** The position of a copy that replaces {@code atPrimary}, which does not count in this epoch. */
  CopyPosition recovered(Copy<V> atPrimary) {
    return atPrimary.mark().epoch() < setting.epoch()
        ? CopyPosition.ofRecovery(setting.epoch())
        : CopyPosition.ofAbsence(setting.epoch());
  }

  /** A write of this operation's own, over {@code atPrimary}. */
  Copy<V> written(Copy<V> atPrimary, @Nullable V value) {
    CopyPosition mark = sequences.next(atPrimary.mark(), setting.epoch());
    return new Copy<>(mark, true, sequences.stamp(mark), value);
  }

  Decision<V, R> decide(Copy<V> current) {
    return update.decide(current.value());
  }

  long digest() {
    return RegisterDigest.of(kind.ordinal(), setting.hashCode());
  }
}
