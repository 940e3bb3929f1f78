package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import org.jspecify.annotations.Nullable;

/**
 * What an operation is for, and where it takes place.
 *
 * @param sequences for writes and fences
 * @param known what sites showed before; {@link KnownCopies#nothing()} as a rule
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

  /** What is known of the sites when it begins: nothing. */
  CopyTracker<V> table() {
    return rules.table(setting, known);
  }

  boolean fences() {
    return kind == OperationKind.FENCED_WRITE;
  }

  boolean copies() {
    return kind == OperationKind.COPY;
  }

  /** Whether it asks the primary before it asks anybody else. */
  boolean asksThePrimaryFirst() {
    return kind == OperationKind.READ
        || (kind == OperationKind.WRITE && !rules.copiesFirst(setting));
  }

  /** Whether it is done where it finds nothing, and leaves nothing there. */
  boolean leavesAbsence() {
    return kind == OperationKind.READ || kind == OperationKind.RECOVER;
  }

  /** Whether it may bring copies of former epochs into this one. */
  boolean recovers() {
    return !copies() && !setting.isRecovered();
  }

  /** Where a copy goes that takes the place of {@code atPrimary}, which is none of this epoch's. */
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
