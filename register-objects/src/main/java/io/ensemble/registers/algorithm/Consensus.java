package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.Collect.Entries;
import io.ensemble.registers.algorithm.Grafarius.Verdict;
import io.ensemble.registers.algorithm.RegisterValue.Ordinal;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Obstruction-free consensus: a racing on grafarius objects (LEADS D2.6, appendix E, Algorithms 2
 * and 3). Returns {@link Agreed}.
 *
 * <p>Other than in Algorithm 2, a process enters lap 0 without a look at the laps of others, so
 * that it needs none when it is alone. Lap 0 has no lap before it, and a process that goes on to a
 * later lap has looked.
 *
 * @param tree the tree that has the nodes of the participants
 * @param node the node of this process
 */
record Consensus(
    Round round,
    Round tree,
    Participant self,
    String node,
    KnownNodes known,
    RegisterValue value,
    long lap,
    Line line)
    implements Frame {

  /** The decision, and what is known of the tree then. */
  record Agreed(RegisterValue value, KnownNodes known) {}

  enum Line {
    RACE,
    JUDGED,
    DECISION_WRITTEN,
    LAP_LEFT,
    LAPS_COLLECTED,
    LAP_ENTERED,
    DECISION_READ
  }

  static final String DECISION = "decision";
  static final String LAPS = "laps";

  /** Proposes a value. The process has found the consensus without a decision. */
  static Consensus propose(
      Round round,
      Round tree,
      Participant self,
      String node,
      KnownNodes known,
      RegisterValue value) {
    return new Consensus(round, tree, self, node, known, value, 0, Line.RACE);
  }

  private Consensus at(Line next) {
    return new Consensus(round, tree, self, node, known, value, lap, next);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    return switch (line) {
      case RACE ->
          new Move.Call(
              Grafarius.adoptCommit(round.part("grafarius-" + lap), self, value), at(Line.JUDGED));
      case JUDGED -> judged((Verdict) Objects.requireNonNull(answer));
      case DECISION_WRITTEN -> new Move.Return(new Agreed(value, known));
      case LAP_LEFT -> new Move.Call(Collect.of(laps(), tree, known), at(Line.LAPS_COLLECTED));
      case LAPS_COLLECTED -> next((Entries) Objects.requireNonNull(answer));
      case LAP_ENTERED -> round.read(DECISION, at(Line.DECISION_READ));
      case DECISION_READ -> {
        RegisterValue decision = round.view(answer);
        yield decision != null
            ? new Move.Return(new Agreed(decision, known))
            : at(Line.RACE).resume(null);
      }
    };
  }

  private Round laps() {
    return round.part(LAPS);
  }

  private Move judged(Verdict verdict) {
    Consensus with = new Consensus(round, tree, self, node, known, verdict.value(), lap, line);
    return verdict.isCommitted()
        ? round.write(DECISION, verdict.value(), with.at(Line.DECISION_WRITTEN))
        : laps().write(Collect.entry(node), new Ordinal(lap), with.at(Line.LAP_LEFT));
  }

  private Move next(Entries left) {
    long greatest = lap;
    for (RegisterValue each : left.values().values()) {
      greatest = Math.max(greatest, ((Ordinal) each).number());
    }
    long next = greatest == lap ? lap + 1 : greatest;
    return new Move.Contended(
        new Consensus(round, tree, self, node, left.known(), value, next, Line.LAP_ENTERED));
  }
}
