package io.ensemble.register;

import io.ensemble.explore.register.ConfirmationScenario;
import io.ensemble.explore.register.InitialCells;
import io.ensemble.explore.register.LossScenario;
import io.ensemble.explore.register.OperationFactory;
import io.ensemble.explore.register.RegisterScenario;
import io.ensemble.quorum.Quorum;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** Register protocols with one error each, and the scenario that exposes it. */
enum RegisterBug implements OperationFactory {
  SKIP_THE_WRITE_BACK("p1;g,g", "a1", rules(SkipsWriteBack::new)),
  DROP_THE_WRITER_ID("c01;c02", "a2", rules(RegisterRules::new)) {
    @Override
    public BallotGenerator ballots(BallotGenerator own) {
      return new BallotGenerator(new WriterId(0, 7), own.rounds());
    }
  },
  MAJORITY_INSTEAD_OF_FAST_QUORUM("c01;c02", "a2", rules(FastByMajority::new)),
  PROVE_FAST_BY_MAJORITY("c01;c02", "a2", rules(ProvesFastByMajority::new)),
  TRUST_A_FALSE("c01;c02", "a1 f1", rules(RegisterRules::new)) {
    @Override
    public boolean returnsNoOfSite() {
      return true;
    }
  },
  REUSE_A_BALLOT("c01,c02,g;g", "a1 x3 l1", rules(RegisterRules::new)) {
    @Override
    public BallotGenerator ballots(BallotGenerator own) {
      return new BallotGenerator(own.writer(), round -> round + 2);
    }
  },
  IGNORE_THE_PROMISE("c01;c02", "a2", rules(IgnoresPromise::new)),
  FORGET_OPERATION_IDS("p1;c12,g", "a2 f1", rules(ForgetsIds::new)),
  COUNT_A_WIPED_SITE("p1;g", "a1 w1", rules(RegisterRules::new)) {
    @Override
    public boolean countsWipedSites() {
      return true;
    }
  },
  RETURN_BEFORE_THE_MAJORITY("p1;g", "a1 d1", rules(ReturnsEarly::new)),
  COMPARE_ENTRY_VERSIONS_BETWEEN_SITES("c01;c02", "a2", rules(ComparesVersions::new)),
  DROP_A_TOMBSTONE_TOO_EARLY("r;g,g", "a1 i1 t1", rules(RegisterRules::new)) {
    @Override
    public boolean purgesEarly() {
      return true;
    }
  },
  TAKE_THE_HIGHEST_BALLOT("c01;c02", "a2", rules(TakesHighest::new)),
  CONFIRM_OVER_A_PROMISE(
      ConfirmationScenario.SCRIPT, ConfirmationScenario.OPTIONS, rules(ConfirmsOverPromise::new)) {
    @Override
    List<String> firstSteps() {
      return ConfirmationScenario.PROMISED;
    }
  },
  CONFIRM_OVER_ANY_PROMISED_VOTE_ON_THE_BASE(
      ConfirmationScenario.SCRIPT,
      ConfirmationScenario.OPTIONS,
      rules(ConfirmsOverPromisedVotes::new)) {
    @Override
    List<String> firstSteps() {
      return ConfirmationScenario.PROMISED;
    }
  },
  CONFIRM_OVER_A_SUCCESSOR("g;p3;g", "n5 a1 i2", rules(ConfirmsOverSuccessor::new)) {
    @Override
    List<Cell<Integer>> initial(RegisterScenario scenario) {
      return InitialCells.fast(scenario);
    }
  },
  CONFIRM_A_VOTE_OF_A_MINORITY("c01;c02,g", "a3", rules(ConfirmsMinority::new)),
  PROPOSE_TWICE_AT_A_PREPARED_BALLOT("p1,p2,p3,g;g", "a1 d1 x1 l1 b", rules(RegisterRules::new)) {
    @Override
    public boolean keepsPreparedBallots() {
      return true;
    }
  },
  COUNT_A_SITE_THAT_PROMISED_ANOTHER_BALLOT("p1,c12;c13", "a2 x1 b", rules(TrustsPrepared::new)),
  RECOVER_FROM_A_LOST_SITE("c31;p2,g", "a1 i3 h9 l1 w1 x1", rules(RecoversFromLostSite::new)) {
    @Override
    List<String> firstSteps() {
      return LossScenario.SETTLED;
    }
  },
  RECOVER_FROM_A_SITE_WHOSE_CELL_IS_COPIED(
      "c31;p2,g", "a1 i3 h9 l1 w1 x1", rules(RecoversFromLostSite::new)) {
    @Override
    List<String> firstSteps() {
      return LossScenario.COPIED;
    }
  },
  REFILL_WITHOUT_WAITING("p1;g", "a1 w1", rules(RegisterRules::new)) {
    @Override
    List<String> firstSteps() {
      return LossScenario.VOTED_COPIED;
    }

    @Override
    public boolean refillsImmediately() {
      return true;
    }
  },
  COPY_A_PROMISED_CELL("c31;g", "a1 i3 l1 w1 x1", rules(RegisterRules::new)) {
    @Override
    List<String> firstSteps() {
      return LossScenario.PROMISED_COPIED;
    }

    @Override
    public RefillRule refillRule(Quorum quorum) {
      return new CopiesPromised(quorum);
    }
  },
  COPY_A_CELL_THAT_ONE_SITE_SHOWS("c31;g", "a1 i3 w1", rules(RegisterRules::new)) {
    @Override
    List<String> firstSteps() {
      return LossScenario.ONE_BEHIND;
    }

    @Override
    public RefillRule refillRule(Quorum quorum) {
      return new CopiesFirst(quorum);
    }
  };

  private final String script;
  private final String options;
  private final Function<Quorum, RegisterRules> rules;

  RegisterBug(String script, String options, Function<Quorum, RegisterRules> rules) {
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

  /** The steps that every run begins with, for bugs that an enumeration would find too late. */
  List<String> firstSteps() {
    return List.of();
  }

  /** The cells at the start. */
  List<Cell<Integer>> initial(RegisterScenario scenario) {
    return InitialCells.same(scenario);
  }

  /** The first seed of random walks, for bugs that an enumeration finds later; otherwise empty. */
  OptionalLong seed() {
    return switch (this) {
      case REUSE_A_BALLOT -> OptionalLong.of(1907);
      case PROVE_FAST_BY_MAJORITY,
          DROP_THE_WRITER_ID,
          TAKE_THE_HIGHEST_BALLOT,
          COUNT_A_SITE_THAT_PROMISED_ANOTHER_BALLOT,
          CONFIRM_OVER_A_SUCCESSOR ->
          OptionalLong.of(1);
      case FORGET_OPERATION_IDS -> OptionalLong.of(23);
      default -> OptionalLong.empty();
    };
  }

  @Override
  public <V, R> RegisterOperation<V, R> operation(
      Quorum quorum,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot knownBallot,
      Optional<PreparedBallot> prepared) {
    return new RegisterOperation<>(
        rules.apply(quorum),
        ballotGenerator,
        update,
        knownBallot,
        prepared.orElse(null),
        false,
        RivalPolicy.IMMEDIATE);
  }

  private static Function<Quorum, RegisterRules> rules(Function<Quorum, RegisterRules> rules) {
    return rules;
  }

  /** Treats the highest accepted value as chosen, as a read without write-back would. */
  private static final class SkipsWriteBack extends RegisterRules {
    SkipsWriteBack(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> Optional<Cell<V>> chosen(List<Cell<V>> answers, Ballot knownBallot) {
      Cell<V> highest = answers.get(0);
      for (Cell<V> cell : answers) {
        highest = cell.accepted().isAbove(highest.accepted()) ? cell : highest;
      }
      return Optional.of(highest);
    }

    @Override
    <V> boolean canVoteFrom(Cell<V> cell, Ballot base) {
      return false;
    }
  }

  private static final class FastByMajority extends RegisterRules {
    FastByMajority(Quorum quorum) {
      super(quorum);
    }

    @Override
    int fastQuorum(Ballot base) {
      return majority();
    }
  }

  private static final class ProvesFastByMajority extends RegisterRules {
    ProvesFastByMajority(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> Optional<Cell<V>> chosen(List<Cell<V>> answers, Ballot knownBallot) {
      return answers.stream()
          .filter(cell -> answers.stream().filter(cell::equals).count() >= majority())
          .findFirst();
    }
  }

  private static final class IgnoresPromise extends RegisterRules {
    IgnoresPromise(Quorum quorum) {
      super(quorum);
    }

    @Override
    boolean keepsPromise(Ballot promised, Ballot ballot) {
      return true;
    }
  }

  private static final class ForgetsIds extends RegisterRules {
    ForgetsIds(Quorum quorum) {
      super(quorum);
    }

    @Override
    int retainedBallots() {
      return 1;
    }
  }

  private static final class ReturnsEarly extends RegisterRules {
    ReturnsEarly(Quorum quorum) {
      super(quorum);
    }

    @Override
    int acceptances() {
      return majority() - 1;
    }
  }

  /**
   * Recovers by a number that distinguishes versions but does not order them, as entry versions do.
   */
  private static final class ComparesVersions extends RegisterRules {
    ComparesVersions(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> Content<V> recover(List<Cell<V>> promised) {
      Cell<V> newest = promised.get(0);
      for (Cell<V> cell : promised) {
        newest = RegisterDigest.of(cell) > RegisterDigest.of(newest) ? cell : newest;
      }
      return newest.content();
    }
  }

  private static final class TakesHighest extends RegisterRules {
    TakesHighest(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> Content<V> recover(List<Cell<V>> promised) {
      Cell<V> highest = promised.get(0);
      for (Cell<V> cell : promised) {
        highest = cell.accepted().isAbove(highest.accepted()) ? cell : highest;
      }
      return highest.content();
    }
  }

  /** Counts a site that has promised the ballot, even if it has promised another one since. */
  private static final class TrustsPrepared extends RegisterRules {
    TrustsPrepared(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> boolean isPrepared(PreparedBallot prepared, int site, VersionedCell<V> versionedCell) {
      return prepared.sites().contains(site);
    }
  }

  /** Accepts after any majority was read again, also without a site that gave the content. */
  private static final class RecoversFromLostSite extends RegisterRules {
    RecoversFromLostSite(Quorum quorum) {
      super(quorum);
    }

    @Override
    boolean areConfirmed(Set<Integer> sources, Set<Integer> confirmed) {
      return confirmed.size() >= majority();
    }
  }

  /** Copies a cell that all other sites show, although they have promised a higher ballot. */
  private static final class CopiesPromised extends RefillRule {
    CopiesPromised(Quorum quorum) {
      super(quorum);
    }

    @Override
    public <V> Optional<Cell<V>> cellToCopy(List<Cell<V>> others) {
      Cell<V> cell = others.get(0);
      return others.stream().allMatch(cell::equals) ? Optional.of(cell) : Optional.empty();
    }
  }

  /** Copies an unpromised cell of the first of the other sites, whatever the next one shows. */
  private static final class CopiesFirst extends RefillRule {
    CopiesFirst(Quorum quorum) {
      super(quorum);
    }

    @Override
    public <V> Optional<Cell<V>> cellToCopy(List<Cell<V>> others) {
      return Optional.of(others.get(0)).filter(Cell::isUnpromised);
    }
  }

  private static final class ConfirmsOverPromise extends RegisterRules {
    ConfirmsOverPromise(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> boolean canAcceptRepair(Cell<V> cell, Cell<V> target, Ballot base) {
      return target.accepted().kind() == Ballot.Kind.CONFIRM
          ? cell.accepted().equals(target.floor())
          : super.canAcceptRepair(cell, target, base);
    }
  }

  /** Confirms over each vote on the same base although its site has promised another ballot. */
  private static final class ConfirmsOverPromisedVotes extends RegisterRules {
    ConfirmsOverPromisedVotes(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> boolean canAcceptRepair(Cell<V> cell, Cell<V> target, Ballot base) {
      return cell.accepted().isFast() && cell.floor().equals(base)
          || super.canAcceptRepair(cell, target, base);
    }
  }

  /**
   * Takes the repeated ballot for the base of the votes, where no site shows the votes any more.
   */
  private static final class ConfirmsOverSuccessor extends RegisterRules {
    ConfirmsOverSuccessor(Quorum quorum) {
      super(quorum);
    }

    @Override
    <V> Ballot baseOfVotes(List<Cell<V>> cells, Cell<V> confirming) {
      Ballot base = super.baseOfVotes(cells, confirming);
      return base.equals(Ballot.ZERO) ? confirming.floor() : base;
    }
  }

  /** Confirms its own vote although only one site has it. */
  private static final class ConfirmsMinority extends RegisterRules {
    ConfirmsMinority(Quorum quorum) {
      super(quorum);
    }

    @Override
    int acceptances() {
      return majority() - 1;
    }

    @Override
    <V> Optional<Cell<V>> confirm(List<Cell<V>> answers, Ballot own, Ballot confirmBallot) {
      return answers.stream()
          .filter(cell -> cell.accepted().equals(own) && own.isFast())
          .findFirst()
          .map(cell -> Cell.accepted(confirmBallot, own, cell.content()));
    }
  }
}
