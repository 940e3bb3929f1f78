package io.ensemble.explore.primary;

import io.ensemble.primary.Copy;
import io.ensemble.primary.KnownCopies;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermContext;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;

/**
 * The rules that an exploration of primary copies drives: the production rules, or rules with a
 * planted bug.
 */
public interface PrimaryProtocol {

  /** The purpose of an operation. */
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
        public <V> PrimaryOperation<V, V> operation(
            Task task,
            TermContext termContext,
            Update<V, V> update,
            SequenceGenerator sequenceGenerator) {
          return switch (task) {
            case READ -> PrimaryOperation.read(termContext);
            case WRITE -> PrimaryOperation.write(termContext, update, sequenceGenerator);
            case FENCED_WRITE ->
                PrimaryOperation.fencedWrite(termContext, update, sequenceGenerator);
            case RECOVER -> PrimaryOperation.recover(termContext);
          };
        }
      };

  /** An operation. */
  <V> PrimaryOperation<V, V> operation(
      Task task, TermContext termContext, Update<V, V> update, SequenceGenerator sequenceGenerator);

  /** A write that uses the copies that sites showed before. */
  default <V> PrimaryOperation<V, V> write(
      TermContext termContext,
      Update<V, V> update,
      SequenceGenerator sequenceGenerator,
      KnownCopies<V> known) {
    return PrimaryOperation.write(termContext, update, sequenceGenerator, known);
  }

  /** Brings a copy to all other sites. */
  default <V> PrimaryOperation<V, V> copying(TermContext termContext, Copy<V> copy) {
    return PrimaryOperation.copy(termContext, copy);
  }

  /** The lease rules. */
  default TermLeaseRules leases(long lease, long drift) {
    return new TermLeaseRules(lease, drift);
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
