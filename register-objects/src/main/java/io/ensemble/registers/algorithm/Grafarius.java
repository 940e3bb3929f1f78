package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Flag;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.Splitter.Way;
import org.jspecify.annotations.Nullable;

/**
 * A grafarius (LEADS D2.6, appendix E, Algorithm 1). If a process commits a value, all others adopt
 * or commit it. A process that returns before another one begins commits its own value. A process
 * that begins after another one has returned gets a value that was proposed before it began.
 */
record Grafarius(Round round, Participant self, RegisterValue proposed, Line line)
    implements Frame {

  /** A value, and whether no process can get another one. */
  record Verdict(boolean isCommitted, RegisterValue value) {}

  enum Line {
    BEGIN,
    SPLIT,
    COLLISION_RAISED,
    VALUE_READ,
    VALUE_PROPOSED,
    VALUE_WRITTEN,
    COLLISION_READ
  }

  static final String COLLISION = "collision";
  static final String VALUE = "value";

  static Grafarius adoptCommit(Round round, Participant self, RegisterValue proposed) {
    return new Grafarius(round, self, proposed, Line.BEGIN);
  }

  private Grafarius at(Line next) {
    return new Grafarius(round, self, proposed, next);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    return switch (line) {
      case BEGIN -> new Move.Call(Splitter.split(round.part("splitter"), self), at(Line.SPLIT));
      case SPLIT ->
          answer == Way.STOP
              ? round.write(VALUE, proposed, at(Line.VALUE_WRITTEN))
              : round.write(COLLISION, Flag.RAISED, at(Line.COLLISION_RAISED));
      case COLLISION_RAISED -> round.read(VALUE, at(Line.VALUE_READ));
      case VALUE_READ -> {
        RegisterValue found = round.view(answer);
        yield found != null
            ? new Move.Return(new Verdict(false, found))
            : round.write(VALUE, proposed, at(Line.VALUE_PROPOSED));
      }
      case VALUE_PROPOSED -> new Move.Return(new Verdict(false, proposed));
      case VALUE_WRITTEN -> round.read(COLLISION, at(Line.COLLISION_READ));
      case COLLISION_READ -> new Move.Return(new Verdict(round.view(answer) == null, proposed));
    };
  }
}
