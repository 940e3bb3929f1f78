package io.ensemble.change;

import io.ensemble.explore.change.ChangeProtocol;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.register.Content;
import io.ensemble.register.Update;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Change protocols with one error each, and the scenario that exposes it. */
enum ChangeBug implements ChangeProtocol {
  OPENS_WITHOUT_OUTWAITING("p1;g", "s1 t1") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public boolean isOver(long endedNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  SEALS_A_MINORITY("p1,g", "t1 q2") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public int ends(int sites, boolean each) {
          return 1;
        }
      };
    }
  },
  ACKNOWLEDGES_WITHOUT_TRUST("p1;g", "s1 t1") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return new Trusting(true);
    }
  },
  CHECKS_TRUST_BEFORE_THE_ANSWER_ONLY("p1;g", "s1 t1") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return new Trusting(false);
    }
  },
  COUNTS_TRUST_FROM_THE_ANSWER("p1;g", "s1 t1") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return new ConfigurationLeaseRules(1, 0) {
        @Override
        public long since(long askedNanos, long answeredNanos) {
          return answeredNanos;
        }
      };
    }
  },
  TWO_OWNERS_FILL_ONE_STORE("r,g", "i1 s1 t1 o1") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public boolean takesOtherStores(ChangePhase changePhase) {
          return false;
        }
      };
    }
  },
  ABORTS_AFTER_THE_SWITCH("p1", "s1 t1 b1") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public boolean canCancel(ChangePhase changePhase) {
          return changePhase != ChangePhase.ABORTING;
        }
      };
    }
  },
  ANSWERS_FROM_A_DRAFT("p1,p2;g", "s1 t1 q2 c") {
    @Override
    public KeyMigrationRules takeover() {
      return new KeyMigrationRules() {
        @Override
        public boolean isTaken(Content<?> content) {
          return content.sequence() > 0;
        }
      };
    }
  },
  READS_IN_PASSING("p1;g,g;g", "s1 t1 c") {
    @Override
    public boolean readsWithoutTakeover() {
      return true;
    }
  },
  TAKES_OVER_UNCONDITIONALLY("g;p2,g", "i1 s1 t1 c") {
    @Override
    public KeyMigrationRules takeover() {
      return new KeyMigrationRules() {
        @Override
        public <V> Update<V, Boolean> takeover(@Nullable V former) {
          return current -> Update.Decision.write(former, true);
        }
      };
    }
  },
  LEAVES_UNDECIDED_THAT_THERE_IS_NOTHING("r;g,g", "i1 s1 t1 o1 c") {
    @Override
    public KeyMigrationRules takeover() {
      return new KeyMigrationRules() {
        @Override
        public <V> Update<V, Boolean> takeover(@Nullable V former) {
          Update<V, Boolean> right = super.takeover(former);
          return new Update<>() {
            @Override
            public Decision<V, Boolean> decide(@Nullable V current) {
              return right.decide(current);
            }

            @Override
            public Decision<V, Boolean> decideOn(Content<V> content) {
              return content.sequence() == 0 && former == null
                  ? Decision.keep(true)
                  : right.decideOn(content);
            }
          };
        }
      };
    }
  },
  A_SUCCESSOR_TAKES_OVER_INTO_OTHER_STORES("p2;g", "i1 s1 t1 o1 c") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public boolean takesOtherStores(ChangePhase changePhase) {
          return changePhase == ChangePhase.CUTOVER || super.takesOtherStores(changePhase);
        }
      };
    }
  },
  CLOSES_BEFORE_ALL_IS_TAKEN_OVER("p1,g", "s1 t1 c") {
    @Override
    public ChangeRules changeRules() {
      return new ChangeRules(LEASE) {
        @Override
        public boolean mayClose(boolean allTakenOver) {
          return true;
        }
      };
    }
  },
  FORGETS_REMOVED_KEYS_DURING_CUTOVER("r,g", "i1 s1 t1 c") {
    @Override
    public boolean purgesDuringCutover() {
      return true;
    }
  },
  TRUSTS_AGAIN_WITHOUT_THE_RECORD("p2;g", "i1 s1 t1 c l1") {
    @Override
    public boolean renewsWithoutRecord() {
      return true;
    }
  },
  SERVES_AGAIN_WITHOUT_FENCING("p2;g", "i1 s1 t2 c l1") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return LONG_LEASE;
    }

    @Override
    public ChangeRules changeRules() {
      return new TickRules(LONG_LEASE) {
        @Override
        public boolean mayServeAgain(boolean abandonedAreFenced) {
          return true;
        }
      };
    }
  },
  DOES_NOT_OUTWAIT_WHAT_IT_ABANDONS("p2;g", "i1 s1 t2 c l1") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return LONG_LEASE;
    }

    @Override
    public ChangeRules changeRules() {
      return new TickRules(LONG_LEASE) {
        @Override
        public boolean isAbandoned(long fencedNanos, long nowNanos) {
          return true;
        }
      };
    }
  },
  SALVAGES_NOTHING("p2;g", "i1 s1 n2 t1 c l1") {
    @Override
    public boolean ignoresAbandonedStores() {
      return true;
    }
  },
  CLOSES_BY_REMOVAL_ALONE("p1;g", "t0 u") {
    @Override
    public ConfigurationLeaseRules leaseRules() {
      return new Trusting(true);
    }

    @Override
    public boolean closesByRemoval() {
      return true;
    }
  };

  private final String script;
  private final String options;

  ChangeBug(String script, String options) {
    this.script = script;
    this.options = options;
  }

  String script() {
    return script;
  }

  String options() {
    return options;
  }

  /** The first seed of random walks, for bugs that an enumeration finds later; otherwise empty. */
  OptionalLong seed() {
    return switch (this) {
      case SEALS_A_MINORITY -> OptionalLong.of(21);
      case SALVAGES_NOTHING -> OptionalLong.of(52);
      default -> OptionalLong.empty();
    };
  }

  /** Answers without a valid lease; if {@code careless}, also begins without one. */
  private static final class Trusting extends ConfigurationLeaseRules {
    private final boolean careless;

    Trusting(boolean careless) {
      super(1, 0);
      this.careless = careless;
    }

    @Override
    public boolean mayBegin(ConfigurationLease trust, long nowNanos) {
      return careless || super.mayBegin(trust, nowNanos);
    }

    @Override
    public boolean mayAnswer(ConfigurationLease trust, long nowNanos) {
      return true;
    }
  }
}
