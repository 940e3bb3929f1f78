package io.ensemble.registers.memory;

import io.ensemble.registers.algorithm.RegisterCell;
import io.ensemble.registers.algorithm.RegisterValue;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Flag;
import io.ensemble.registers.algorithm.RegisterValue.Level;
import io.ensemble.registers.algorithm.RegisterValue.Ordinal;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Proposal;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import io.ensemble.registers.algorithm.RegisterValue.Retired;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A cell as bytes: the version of the form (1), the kind of the value, the round, and the value.
 * Numbers are big-endian.
 */
final class RegisterCellCodec {

  private static final byte FORM = 1;
  private static final int HEAD = 2 + Long.BYTES;
  private static final int PROPOSAL_HEAD = 4 * Long.BYTES;
  private static final int RANKED_HEAD = 2 + 5 * Long.BYTES;

  private RegisterCellCodec() {}

  static byte[] encode(RegisterCell cell) {
    RegisterValue value = cell.value();
    if (value instanceof Flag) {
      return head('f', cell, 0).array();
    }
    if (value instanceof Retired) {
      return head('r', cell, 0).array();
    }
    if (value instanceof Ordinal number) {
      return head('n', cell, Long.BYTES).putLong(number.number()).array();
    }
    if (value instanceof Participant participant) {
      return head('p', cell, 2 * Long.BYTES)
          .putLong(participant.high())
          .putLong(participant.low())
          .array();
    }
    if (value instanceof Ranked ranked) {
      ByteBuffer into =
          head('v', cell, RANKED_HEAD + size(ranked.values()) + size(ranked.decided()))
              .putLong(ranked.instance())
              .putLong(ranked.round())
              .put((byte) ranked.level().ordinal())
              .put((byte) (ranked.isContested() ? 1 : 0))
              .putLong(ranked.writer().high())
              .putLong(ranked.writer().low())
              .putLong(ranked.write());
      put(into, ranked.values());
      put(into, ranked.decided());
      return into.array();
    }
    Proposal proposal = (Proposal) value;
    return head('s', cell, PROPOSAL_HEAD + proposal.state().size())
        .putLong(proposal.proposer().high())
        .putLong(proposal.proposer().low())
        .putLong(proposal.next())
        .putLong(proposal.nextRound())
        .put(proposal.state().toArray())
        .array();
  }

  private static ByteBuffer head(char kind, RegisterCell cell, int more) {
    return ByteBuffer.allocate(HEAD + more).put(FORM).put((byte) kind).putLong(cell.round());
  }

  /**
   * @throws UnreadableCellException if the bytes are of another form, or damaged
   */
  static RegisterCell decode(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    try {
      byte form = from.get();
      if (form != FORM) {
        throw new UnreadableCellException("form %d, this version reads form 1".formatted(form));
      }
      char kind = (char) from.get();
      long round = from.getLong();
      RegisterValue value =
          switch (kind) {
            case 'f' -> Flag.RAISED;
            case 'r' -> Retired.RETIRED;
            case 'n' -> new Ordinal(from.getLong());
            case 'p' -> new Participant(from.getLong(), from.getLong());
            case 's' -> {
              Participant proposer = new Participant(from.getLong(), from.getLong());
              long next = from.getLong();
              long nextRound = from.getLong();
              yield new Proposal(proposer, rest(from), next, nextRound);
            }
            case 'v' -> {
              long instance = from.getLong();
              long rank = from.getLong();
              Level level = from.get() == 0 ? Level.DOWN : Level.UP;
              boolean isContested = from.get() != 0;
              Participant writer = new Participant(from.getLong(), from.getLong());
              long write = from.getLong();
              List<Bytes> values = list(from);
              yield new Ranked(
                  instance, rank, level, isContested, values, list(from), writer, write);
            }
            default -> throw new UnreadableCellException("unknown kind " + (int) kind);
          };
      if (from.hasRemaining()) {
        throw new UnreadableCellException(from.remaining() + " bytes too many");
      }
      return new RegisterCell(round, value);
    } catch (BufferUnderflowException e) {
      throw new UnreadableCellException("too few bytes: " + bytes.length, e);
    }
  }

  private static int size(List<Bytes> list) {
    return Integer.BYTES + list.stream().mapToInt(each -> Integer.BYTES + each.size()).sum();
  }

  private static void put(ByteBuffer into, List<Bytes> list) {
    into.putInt(list.size());
    list.forEach(each -> into.putInt(each.size()).put(each.toArray()));
  }

  private static List<Bytes> list(ByteBuffer from) {
    List<Bytes> list = new ArrayList<>();
    for (int left = from.getInt(); left > 0; left--) {
      int size = from.getInt();
      if (size < 0 || size > from.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] each = new byte[size];
      from.get(each);
      list.add(new Bytes(each));
    }
    return list;
  }

  private static Bytes rest(ByteBuffer from) {
    byte[] rest = new byte[from.remaining()];
    from.get(rest);
    return new Bytes(rest);
  }
}
