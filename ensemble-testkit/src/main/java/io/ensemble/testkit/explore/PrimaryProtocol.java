package io.ensemble.testkit.explore;

import io.ensemble.primary.Copy;
import io.ensemble.primary.Known;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Setting;
import io.ensemble.primary.Term;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;

/** What an exploration of primary copies drives: production's rules, or ones with a planted bug. */
public interface PrimaryProtocol {

  /** What an operation is for. */
  enum Task {
    READ,
    WRITE,
    FENCED_WRITE,
    RECOVER
  }

  /** The production protocol. */
  PrimaryProtocol PRODUCTION =
      new PrimaryProtocol() {
        @Override
        @SuppressWarnings("unchecked")
        public <V> Operation<V, V> operation(
            Task task, Setting setting, Update<V, V> update, Sequences sequences) {
          return switch (task) {
            case READ -> Operation.read(setting);
            case WRITE -> Operation.write(setting, update, sequences);
            case FENCED_WRITE -> Operation.fencedWrite(setting, update, sequences);
            case RECOVER -> Operation.recover(setting);
          };
        }
      };

  /** An operation. */
  <V> Operation<V, V> operation(
      Task task, Setting setting, Update<V, V> update, Sequences sequences);

  /** A write that knows what sites showed before. */
  default <V> Operation<V, V> write(
      Setting setting, Update<V, V> update, Sequences sequences, Known<V> known) {
    return Operation.write(setting, update, sequences, known);
  }

  /** Brings a copy to all other sites. */
  default <V> Operation<V, V> copying(Setting setting, Copy<V> copy) {
    return Operation.copy(setting, copy);
  }

  /** The rules of time. */
  default Leases leases(long lease, long drift) {
    return new Leases(lease, drift);
  }

  /** The term after {@code term}. */
  default Term next(Term term, String primary, WriterId writer) {
    return term.succeeded(primary, writer);
  }

  /** Whether a writer fences a key after an unknown outcome. */
  default boolean fences() {
    return true;
  }

  /** Whether an acknowledged write counts as perhaps lost until a majority holds it. */
  default boolean reportsWindow() {
    return true;
  }
}
