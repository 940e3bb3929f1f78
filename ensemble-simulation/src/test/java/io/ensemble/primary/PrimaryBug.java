package io.ensemble.primary;

import io.ensemble.explore.primary.PrimaryProtocol;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Primary-copy protocols with one error each, and the scenario that exposes it. */
enum PrimaryBug implements PrimaryProtocol {
  OLD_PRIMARY_ANSWERS_AFTER_ITS_LEASE("p1,p2;g,g", "e2 t1", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean mayAnswer(LeasedTerm leasedTerm, long nowNanos) {
          return true;
        }
      };
    }
  },
  WRITER_ACKNOWLEDGES_AFTER_ITS_LEASE("p1;g,g", "e2 t1", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean mayAcknowledge(LeasedTerm leasedTerm, long nowNanos) {
          return true;
        }
      };
    }
  },
  ACTIVATION_WITHOUT_THE_WAIT("p1,p2;g,g", "e2 t1", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean hasOutwaited(long seenNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  EPOCH_REUSED("p1;c12;g,g", "e2 t1", PrimaryRules::new) {
    @Override
    public Term next(Term term, String primary, WriterId writer) {
      return new Term(term.epoch(), primary, writer, 0, false, term.floor());
    }
  },
  COPY_APPLIED_OUT_OF_ORDER("p1,p2;g,g", "e2 t1 p", OutOfOrder::new),
  PRIMARY_BEFORE_THE_MAJORITY("p1;g,g", "e2 t1", PrimaryFirst::new),
  RECOVERY_FROM_ONE_SITE("p1;g,g", "e2 t1", FromOneSite::new),
  COUNTS_THE_COPY_BEFORE("p1,p2;g,g", "e3 t2", CountsAnyCopy::new),
  ANSWERS_WHAT_IS_NOT_SETTLED("p1;g,g,g", "e3 t2", Unsettled::new),
  DECIDES_ON_A_FORMER_EPOCH("p1,c12;g,g", "e2 t1", FormerEpoch::new),
  NO_FENCE_AFTER_UNKNOWN("p1,c02;g,g", "e2 t1 g1", PrimaryRules::new) {
    @Override
    public boolean fences() {
      return false;
    }
  },
  RECOVERS_ALL_AT_ONCE("p1;g,g,g", "e3 t2 h1", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean mayRecoverAll(long seenNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  ACKNOWLEDGED_BEFORE_THE_PRIMARY_HAS_IT("p1;g,g", "e1 t0 p g1", WhenSent::new),
  LEAVES_THE_WINDOW_UNCOPIED("p1,p2;g,g", "e2 t1 p", CopiedToNobody::new),
  SPREADS_AFTER_A_REFUSAL("p1,p2;g", "e2 t1 g1", SpreadsOn::new),
  TRUSTS_WHAT_WAS_KNOWN("p1,c12;g", "e1 t0 k1", Trusting::new),
  VOID_COPIES_COME_BACK("p1;g,g", "e3 t3 p c", VoidCounts::new),
  SKIPS_CLOSING("p1;g;g", "e2 t1 p c", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean mayClose(long seenNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  RECOVERS_AFTER_ITS_LEASE("p1;g;g", "e2 t2 p c", PrimaryRules::new) {
    @Override
    public TermLeaseRules leases(long lease, long drift) {
      return new TermLeaseRules(lease, drift) {
        @Override
        public boolean mayRecover(LeasedTerm leasedTerm, long nowNanos) {
          return true;
        }
      };
    }
  },
  SETTLES_WHAT_IS_LEFT_OVER("p1;g;g,g", "e2 t2 p c", SettlesLeftOver::new),
  LOST_WINDOW_NOT_REPORTED("p1,p2;g,g", "e2 t1 p", PrimaryRules::new) {
    @Override
    public boolean reportsWindow() {
      return false;
    }
  };

  private final String script;
  private final String options;
  private final Supplier<PrimaryRules> rules;

  PrimaryBug(String script, String options, Supplier<PrimaryRules> rules) {
    this.script = script;
    this.options = options;
    this.rules = rules;
  }

  String script() {
    return script;
  }

  String options() {
    return options;
  }

  /** The first seed of the walks, near a hit: some bugs take half a million walks on average. */
  long seed() {
    return switch (this) {
      case ANSWERS_WHAT_IS_NOT_SETTLED -> 32;
      case NO_FENCE_AFTER_UNKNOWN -> 22;
      case RECOVERS_ALL_AT_ONCE -> 73;
      case SKIPS_CLOSING -> 780_788_837_846L;
      case RECOVERS_AFTER_ITS_LEASE -> 302_953_749_430L;
      case SETTLES_WHAT_IS_LEFT_OVER -> 402_096_651_058L;
      case COUNTS_THE_COPY_BEFORE -> 137;
      case VOID_COPIES_COME_BACK -> 671_401_940_263L;
      default -> 11;
    };
  }

  @Override
  public <V> PrimaryOperation<V, V> operation(
      Task task,
      TermContext termContext,
      Update<V, V> update,
      SequenceGenerator sequenceGenerator) {
    OperationKind kind =
        switch (task) {
          case READ -> OperationKind.READ;
          case WRITE -> OperationKind.WRITE;
          case FENCED_WRITE -> OperationKind.FENCED_WRITE;
          case RECOVER -> OperationKind.RECOVER;
        };
    boolean reads = task == Task.READ || task == Task.RECOVER;
    return new PrimaryOperation<>(
        rules.get(), termContext, kind, reads ? Update.read() : update, sequenceGenerator);
  }

  @Override
  public <V> PrimaryOperation<V, V> write(
      TermContext termContext,
      Update<V, V> update,
      SequenceGenerator sequenceGenerator,
      KnownCopies<V> known) {
    return new PrimaryOperation<>(
        new PrimaryOperationState<>(
            new OperationSpec<>(
                rules.get(), termContext, OperationKind.WRITE, update, sequenceGenerator, known)));
  }

  @Override
  public <V> PrimaryOperation<V, V> copying(TermContext termContext, Copy<V> copy) {
    PrimaryOperation<V, V> operation =
        new PrimaryOperation<>(
            rules.get(),
            termContext,
            OperationKind.COPY,
            Update.read(),
            SequenceGenerator.FOR_NOBODY);
    operation.toCopy(copy);
    return operation;
  }

  private static final class Trusting extends PrimaryRules {
    @Override
    <V> CopyTracker<V> createTracker(TermContext termContext, KnownCopies<V> known) {
      CopyTracker<V> tracker = super.createTracker(termContext, known);
      for (int site = 0; site < termContext.sites(); site++) {
        int copySite = site;
        known.of(site).ifPresent(before -> tracker.recordCopy(copySite, before));
      }
      return tracker;
    }
  }

  private static final class OutOfOrder extends PrimaryRules {
    @Override
    <V> boolean mayReplace(Copy<V> current, Copy<V> next) {
      return !next.mark().equals(current.mark());
    }
  }

  private static final class PrimaryFirst extends PrimaryRules {
    @Override
    boolean copiesFirst(TermContext termContext) {
      return false;
    }
  }

  private static final class WhenSent extends PrimaryRules {
    @Override
    boolean acknowledgesWhenSent() {
      return true;
    }
  }

  private static final class CopiedToNobody extends PrimaryRules {
    @Override
    int requiredCopies(TermContext termContext) {
      return 0;
    }
  }

  private static final class SpreadsOn extends PrimaryRules {
    @Override
    boolean canStillReplicate(PrimaryOutcome<?, ?> outcome) {
      return true;
    }
  }

  private static final class VoidCounts extends PrimaryRules {
    @Override
    <V> Copy<V> valid(Copy<V> copy, TermContext termContext) {
      return copy;
    }
  }

  private static final class SettlesLeftOver extends PrimaryRules {
    @Override
    <V> boolean isLeftOver(Copy<V> copy, TermContext termContext) {
      return false;
    }
  }

  private static final class FromOneSite extends PrimaryRules {
    @Override
    int answersToRecover(TermContext termContext) {
      return 1;
    }
  }

  private static final class CountsAnyCopy extends PrimaryRules {
    @Override
    <V> boolean isSame(@Nullable Copy<V> stored, @Nullable Copy<V> expected) {
      return true;
    }
  }

  private static final class Unsettled extends PrimaryRules {
    @Override
    <V> boolean isUsable(Copy<V> atPrimary, TermContext termContext) {
      return atPrimary.mark().epoch() == termContext.epoch()
          || super.isUsable(atPrimary, termContext);
    }
  }

  private static final class FormerEpoch extends PrimaryRules {
    @Override
    <V> boolean isUsable(Copy<V> atPrimary, TermContext termContext) {
      return atPrimary.mark().epoch() < termContext.epoch()
          || super.isUsable(atPrimary, termContext);
    }
  }
}
