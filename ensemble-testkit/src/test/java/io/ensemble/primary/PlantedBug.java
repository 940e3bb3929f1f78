package io.ensemble.primary;

import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.explore.PrimaryProtocol;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Protocols of primary copies that are wrong in one point, with the scenario that shows it. */
enum PlantedBug implements PrimaryProtocol {
  OLD_PRIMARY_ANSWERS_AFTER_ITS_LEASE("p1,p2;g,g", "e2 t1", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
        @Override
        public boolean mayAnswer(Trust trust, long nowNanos) {
          return true;
        }
      };
    }
  },
  WRITER_ACKNOWLEDGES_AFTER_ITS_LEASE("p1;g,g", "e2 t1", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
        @Override
        public boolean mayAcknowledge(Trust trust, long nowNanos) {
          return true;
        }
      };
    }
  },
  ACTIVATION_WITHOUT_THE_WAIT("p1,p2;g,g", "e2 t1", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
        @Override
        public boolean hasOutwaited(long seenNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  EPOCH_REUSED("p1;c12;g,g", "e2 t1", Rules::new) {
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
  NO_FENCE_AFTER_UNKNOWN("p1,c02;g,g", "e2 t1 g1", Rules::new) {
    @Override
    public boolean fences() {
      return false;
    }
  },
  RECOVERS_ALL_AT_ONCE("p1;g,g,g", "e3 t2 h1", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
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
  SKIPS_CLOSING("p1;g;g", "e2 t1 p c", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
        @Override
        public boolean mayClose(long seenNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  RECOVERS_AFTER_ITS_LEASE("p1;g;g", "e2 t2 p c", Rules::new) {
    @Override
    public Leases leases(long lease, long drift) {
      return new Leases(lease, drift) {
        @Override
        public boolean mayRecover(Trust trust, long nowNanos) {
          return true;
        }
      };
    }
  },
  SETTLES_WHAT_IS_LEFT_OVER("p1;g;g,g", "e2 t2 p c", SettlesLeftOver::new),
  LOST_WINDOW_NOT_REPORTED("p1,p2;g,g", "e2 t1 p", Rules::new) {
    @Override
    public boolean reportsWindow() {
      return false;
    }
  };

  private final String script;
  private final String options;
  private final Supplier<Rules> rules;

  PlantedBug(String script, String options, Supplier<Rules> rules) {
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

  /** Where the walks begin that meet it soon: some bugs take half a million walks on average. */
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
  public <V> Operation<V, V> operation(
      Task task, Setting setting, Update<V, V> update, Sequences sequences) {
    Kind kind =
        switch (task) {
          case READ -> Kind.READ;
          case WRITE -> Kind.WRITE;
          case FENCED_WRITE -> Kind.FENCED_WRITE;
          case RECOVER -> Kind.RECOVER;
        };
    boolean reads = task == Task.READ || task == Task.RECOVER;
    return new Operation<>(rules.get(), setting, kind, reads ? Update.read() : update, sequences);
  }

  @Override
  public <V> Operation<V, V> write(
      Setting setting, Update<V, V> update, Sequences sequences, Known<V> known) {
    return new Operation<>(
        new Course<>(new Errand<>(rules.get(), setting, Kind.WRITE, update, sequences, known)));
  }

  @Override
  public <V> Operation<V, V> copying(Setting setting, Copy<V> copy) {
    Operation<V, V> operation =
        new Operation<>(rules.get(), setting, Kind.COPY, Update.read(), Sequences.FOR_NOBODY);
    operation.toCopy(copy);
    return operation;
  }

  private static final class Trusting extends Rules {
    @Override
    <V> Table<V> table(Setting setting, Known<V> known) {
      Table<V> table = super.table(setting, known);
      for (int site = 0; site < setting.sites(); site++) {
        int shown = site;
        known.of(site).ifPresent(before -> table.show(shown, before));
      }
      return table;
    }
  }

  private static final class OutOfOrder extends Rules {
    @Override
    <V> boolean mayReplace(Copy<V> held, Copy<V> next) {
      return !next.mark().equals(held.mark());
    }
  }

  private static final class PrimaryFirst extends Rules {
    @Override
    boolean copiesFirst(Setting setting) {
      return false;
    }
  }

  private static final class WhenSent extends Rules {
    @Override
    boolean acknowledgesWhenSent() {
      return true;
    }
  }

  private static final class CopiedToNobody extends Rules {
    @Override
    int copies(Setting setting) {
      return 0;
    }
  }

  private static final class SpreadsOn extends Rules {
    @Override
    boolean mayStillSpread(Outcome<?, ?> outcome) {
      return true;
    }
  }

  private static final class VoidCounts extends Rules {
    @Override
    <V> Copy<V> valid(Copy<V> copy, Setting setting) {
      return copy;
    }
  }

  private static final class SettlesLeftOver extends Rules {
    @Override
    <V> boolean isLeftOver(Copy<V> copy, Setting setting) {
      return false;
    }
  }

  private static final class FromOneSite extends Rules {
    @Override
    int answersToRecover(Setting setting) {
      return 1;
    }
  }

  private static final class CountsAnyCopy extends Rules {
    @Override
    <V> boolean isSame(@Nullable Copy<V> stored, @Nullable Copy<V> wanted) {
      return true;
    }
  }

  private static final class Unsettled extends Rules {
    @Override
    <V> boolean isUsable(Copy<V> atPrimary, Setting setting) {
      return atPrimary.mark().epoch() == setting.epoch() || super.isUsable(atPrimary, setting);
    }
  }

  private static final class FormerEpoch extends Rules {
    @Override
    <V> boolean isUsable(Copy<V> atPrimary, Setting setting) {
      return atPrimary.mark().epoch() < setting.epoch() || super.isUsable(atPrimary, setting);
    }
  }
}
