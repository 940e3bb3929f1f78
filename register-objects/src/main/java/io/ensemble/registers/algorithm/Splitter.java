package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Flag;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import org.jspecify.annotations.Nullable;

/**
 * The splitter of Lamport, and of Moir and Anderson (LEADS D2.6, appendix E, section 3.2). At most
 * one process stops. A process that is alone stops, and one that begins after another has ended
 * does not. Of several processes at least one goes another way than the others.
 */
record Splitter(Round round, Participant self, Line line) implements Frame {

  /** The way of a process. The one that stops has won. */
  enum Way {
    STOP,
    LEFT,
    RIGHT
  }

  enum Line {
    BEGIN,
    ENTERED,
    DOOR_READ,
    DOOR_CLOSED,
    LAST_READ
  }

  static final String LAST = "last";
  static final String DOOR = "door";

  static Splitter split(Round round, Participant self) {
    return new Splitter(round, self, Line.BEGIN);
  }

  private Splitter at(Line next) {
    return new Splitter(round, self, next);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    return switch (line) {
      case BEGIN -> round.write(LAST, self, at(Line.ENTERED));
      case ENTERED -> round.read(DOOR, at(Line.DOOR_READ));
      case DOOR_READ ->
          round.view(answer) != null
              ? new Move.Return(Way.RIGHT)
              : round.write(DOOR, Flag.RAISED, at(Line.DOOR_CLOSED));
      case DOOR_CLOSED -> round.read(LAST, at(Line.LAST_READ));
      case LAST_READ -> new Move.Return(self.equals(round.view(answer)) ? Way.STOP : Way.LEFT);
    };
  }
}
