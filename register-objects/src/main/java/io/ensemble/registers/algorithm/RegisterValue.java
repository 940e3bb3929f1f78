package io.ensemble.registers.algorithm;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A value that an algorithm keeps in a register. */
public sealed interface RegisterValue {

  /** A raised flag. A register without a value is a flag that is not raised. */
  enum Flag implements RegisterValue {
    RAISED
  }

  /** A process. Its 128 bits are drawn at random, and never used again. */
  record Participant(long high, long low) implements RegisterValue {}

  /** A lap, or the index of an object. */
  record Ordinal(long number) implements RegisterValue {}

  /** The owner of an entry of a map has left, and writes nothing more. */
  enum Retired implements RegisterValue {
    RETIRED
  }

  /**
   * A value that is proposed for the next state of an object.
   *
   * @param next the index of the consensus that decides the state after this one
   * @param nextRound the round of that consensus
   */
  record Proposal(Participant proposer, Bytes state, long next, long nextRound)
      implements RegisterValue {}

  /**
   * Values in set agreement.
   *
   * @param instance the number of the instance, from 0
   * @param level whether the values are up, that is, were in all registers before
   * @param isContested whether too many values of the same round were seen
   * @param values the values that are left in this round, at least one, the greatest one first
   * @param decided what the writer has decided in the instances directly before this one
   * @param writer the process that has written this, and {@code write} the number of its write in
   *     the instance: no two writes are the same, so that two equal reads show that nothing was
   *     written between them
   */
  record Ranked(
      long instance,
      long round,
      Level level,
      boolean isContested,
      List<Bytes> values,
      List<Bytes> decided,
      Participant writer,
      long write)
      implements RegisterValue {
    public Ranked {
      values = List.copyOf(values);
      decided = List.copyOf(decided);
    }
  }

  /** The level of a value in a round of set agreement. */
  enum Level {
    DOWN,
    UP
  }

  /** Bytes that are compared by content. */
  final class Bytes implements Comparable<Bytes> {

    private final byte[] content;

    public Bytes(byte[] content) {
      this.content = content.clone();
    }

    public byte[] toArray() {
      return content.clone();
    }

    public int size() {
      return content.length;
    }

    @Override
    public int compareTo(Bytes other) {
      return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(content);
    }

    @Override
    public String toString() {
      return HexFormat.of().formatHex(content);
    }
  }
}
