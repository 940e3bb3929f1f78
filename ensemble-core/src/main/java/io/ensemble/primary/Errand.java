package io.ensemble.primary;

import io.ensemble.register.Digest;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import org.jspecify.annotations.Nullable;

/**
 * What an operation is for, and where it takes place.
 *
 * @param sequences for writes and fences
 * @param known what sites showed before; {@link Known#nothing()} as a rule
 */
record Errand<V, R>(
    Rules rules,
    Setting setting,
    Kind kind,
    Update<V, R> update,
    Sequences sequences,
    Known<V> known) {

  Errand(Rules rules, Setting setting, Kind kind, Update<V, R> update, Sequences sequences) {
    this(rules, setting, kind, update, sequences, Known.nothing());
  }

  /** What is known of the sites when it begins: nothing. */
  Table<V> table() {
    return rules.table(setting, known);
  }

  boolean fences() {
    return kind == Kind.FENCED_WRITE;
  }

  boolean copies() {
    return kind == Kind.COPY;
  }

  /** Whether it asks the primary before it asks anybody else. */
  boolean asksThePrimaryFirst() {
    return kind == Kind.READ || (kind == Kind.WRITE && !rules.copiesFirst(setting));
  }

  /** Whether it is done where it finds nothing, and leaves nothing there. */
  boolean leavesAbsence() {
    return kind == Kind.READ || kind == Kind.RECOVER;
  }

  /** Whether it may bring copies of former epochs into this one. */
  boolean recovers() {
    return !copies() && !setting.isRecovered();
  }

  /** Where a copy goes that takes the place of {@code atPrimary}, which is none of this epoch's. */
  Mark recovered(Copy<V> atPrimary) {
    return atPrimary.mark().epoch() < setting.epoch()
        ? Mark.ofRecovery(setting.epoch())
        : Mark.ofAbsence(setting.epoch());
  }

  /** A write of this operation's own, over {@code atPrimary}. */
  Copy<V> written(Copy<V> atPrimary, @Nullable V value) {
    Mark mark = sequences.next(atPrimary.mark(), setting.epoch());
    return new Copy<>(mark, true, sequences.stamp(mark), value);
  }

  Decision<V, R> decide(Copy<V> current) {
    return update.decide(current.value());
  }

  long digest() {
    return Digest.of(kind.ordinal(), setting.hashCode());
  }
}
