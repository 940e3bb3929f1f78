package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.Collect.Entries;
import io.ensemble.registers.algorithm.Consensus.Agreed;
import io.ensemble.registers.algorithm.Operation.Effect;
import io.ensemble.registers.algorithm.RegisterOperations.Invoked;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Ordinal;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Proposal;
import io.ensemble.registers.algorithm.RegisterValue.Retired;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An operation on an object of any type, obstruction-free and linearizable (LEADS D2.6, appendix E,
 * Algorithm 5). Consensus objects are reused, each in another round. Returns {@link Invoked}.
 *
 * <p>Other than in Algorithm 5:
 *
 * <ul>
 *   <li>The next consensus is the first one of 0, 1, 2, … that no participant has announced, as the
 *       text of section 4.3 has it. The function {@code free} of the listing would take ever
 *       greater indexes while a participant stays at 0.
 *   <li>A process that has won announces the next index at the begin of its next operation.
 *   <li>A process that has lost goes on with the decision, without a second read of it.
 * </ul>
 *
 * @param me what the process knows of the object
 * @param effect of the operation on the known state, while it is proposed
 */
record UniversalConstruction(
    String object, Participation me, Operation operation, @Nullable Effect effect, Line line)
    implements Frame {

  enum Line {
    BEGIN,
    ANNOUNCED,
    DECISION_READ,
    INDEXES_COLLECTED,
    AGREED
  }

  static final String INDEXES = "indexes";

  static UniversalConstruction invoke(String object, Participation me, Operation operation) {
    return new UniversalConstruction(object, me, operation, null, Line.BEGIN);
  }

  /** The tree of the participants of an object. It is never reused. */
  static Round tree(String object) {
    return new Round(object, 0).part("participants");
  }

  /** The consensus objects that participants use, by nodes. Entries change in round 0. */
  static Round indexes(String object) {
    return new Round(object, 0).part(INDEXES);
  }

  static Round consensus(String object, long index, long round) {
    return new Round(object + "/consensus-" + index, round);
  }

  private Round consensus() {
    return consensus(object, me.index(), me.round());
  }

  private UniversalConstruction at(Line next) {
    return new UniversalConstruction(object, me, operation, effect, next);
  }

  private UniversalConstruction with(Participation next) {
    return new UniversalConstruction(object, next, operation, effect, line);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    return switch (line) {
      case BEGIN ->
          me.isAnnounced()
              ? consensus().read(Consensus.DECISION, at(Line.DECISION_READ))
              : indexes(object)
                  .write(Collect.entry(me.node()), new Ordinal(me.index()), at(Line.ANNOUNCED));
      case ANNOUNCED -> with(me.announced()).at(Line.BEGIN).resume(null);
      case DECISION_READ -> {
        RegisterValue decision = consensus().view(answer);
        yield decision != null
            ? with(me.at((Proposal) decision, false)).at(Line.BEGIN).resume(null)
            : tryOperation();
      }
      case INDEXES_COLLECTED -> propose((Entries) Objects.requireNonNull(answer));
      case AGREED -> agreed((Agreed) Objects.requireNonNull(answer));
    };
  }

  private Move tryOperation() {
    Effect tried = operation.apply(me.state());
    if (tried.state().equals(me.state())) {
      return new Move.Return(new Invoked(tried.result(), me));
    }
    return new Move.Call(
        Collect.of(indexes(object), tree(object), me.known()),
        new UniversalConstruction(object, me, operation, tried, Line.INDEXES_COLLECTED));
  }

  private Move propose(Entries indexes) {
    Set<Long> used = new HashSet<>();
    for (RegisterValue each : indexes.values().values()) {
      if (each instanceof Ordinal index) {
        used.add(index.number());
      }
    }
    long free = 0;
    while (used.contains(free)) {
      free++;
    }
    Participation next = me.knowing(indexes.known());
    Proposal proposal =
        new Proposal(me.self(), Objects.requireNonNull(effect).state(), free, me.round() + 1);
    return new Move.Call(
        Consensus.propose(consensus(), tree(object), me.self(), me.node(), next.known(), proposal),
        with(next).at(Line.AGREED));
  }

  private Move agreed(Agreed agreed) {
    Proposal decision = (Proposal) agreed.value();
    Participation next = me.knowing(agreed.known()).at(decision, false);
    return decision.proposer().equals(me.self())
        ? new Move.Return(new Invoked(Objects.requireNonNull(effect).result(), next))
        : with(next).at(Line.BEGIN).resume(null);
  }

  /** Finds a node for a process and announces its first index. Returns {@link Participation}. */
  record Join(String object, Participant self, Bytes initial, int longestWay, Step step)
      implements Frame {

    enum Step {
      BEGIN,
      ENTERED
    }

    @Override
    public Move resume(@Nullable Object answer) {
      if (step == Step.BEGIN) {
        return new Move.Call(
            ParticipantTree.enter(tree(object), self, longestWay),
            new Join(object, self, initial, longestWay, Step.ENTERED));
      }
      return new Move.Return(
          answer instanceof String node
              ? new Participation(self, node, KnownNodes.NONE, initial, 0, 0, false)
              : null);
    }
  }

  /**
   * Gives a process's entry back. The process must have no operation in progress, nor begin one.
   */
  record Leave(String object, String node, boolean isDone) implements Frame {

    @Override
    public Move resume(@Nullable Object answer) {
      return isDone
          ? new Move.Return(null)
          : indexes(object)
              .write(Collect.entry(node), Retired.RETIRED, new Leave(object, node, true));
    }
  }
}
