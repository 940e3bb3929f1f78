package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.ByteReader;
import io.ensemble.envelope.ByteWriter;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a register's cell as an envelope: the accepted ballot is the stamp, the rest of the
 * acceptor is the protocol state.
 *
 * <p>The state begins with one byte: the kind of the accepted ballot, and whether promise and floor
 * differ from that ballot. The sequence and the writers other than the stamp's follow, and then the
 * promise, the floor and the recent ballots. Each ballot is written as kind and writer in one
 * number and the distance of its round.
 */
final class CellCodec {

  private static final int KIND_MASK = 3;
  private static final int HAS_PROMISE = 1 << 2;
  private static final int HAS_FLOOR = 1 << 3;
  private static final int FLOOR_IS_ZERO = 1 << 4;
  private static final int LONGEST_LIST = 64;
  private static final Kind[] KINDS = Kind.values();

  private CellCodec() {}

  static Bytes encode(Cell<Payload> cell) {
    Ballot accepted = cell.accepted();
    Payload value = cell.content().value();
    return EnvelopeCodec.encode(
        new Envelope(
            new Stamp(accepted.round(), accepted.writer()),
            value == null ? 0 : value.endMicros(),
            null,
            state(cell),
            value == null ? null : value.value(),
            value != null && value.encrypted()));
  }

  static Cell<Payload> decode(Bytes stored) {
    Envelope envelope = EnvelopeCodec.decode(stored);
    Bytes state = envelope.state();
    if (state == null) {
      throw new MalformedEnvelopeException("an MWMR entry with acceptor state");
    }
    Bytes value = envelope.payload();
    Payload payload =
        value == null ? null : new Payload(value, envelope.endMicros(), envelope.encrypted());
    return new StateReader(envelope.stamp(), new ByteReader(state)).cell(payload);
  }

  private static Bytes state(Cell<Payload> cell) {
    Ballot accepted = cell.accepted();
    boolean hasPromise = !cell.promised().equals(accepted);
    boolean zeroFloor = cell.floor().equals(Ballot.ZERO) && !accepted.equals(Ballot.ZERO);
    boolean hasFloor = !cell.floor().equals(accepted) && !zeroFloor;
    List<WriterId> writers = writers(cell, hasPromise, hasFloor);
    ByteWriter out = new ByteWriter(64);
    out.oneByte(
        kind(accepted)
            | (hasPromise ? HAS_PROMISE : 0)
            | (hasFloor ? HAS_FLOOR : 0)
            | (zeroFloor ? FLOOR_IS_ZERO : 0));
    out.variable(cell.content().sequence());
    out.variable(writers.size() - 1L);
    for (WriterId writer : writers.subList(1, writers.size())) {
      out.eightBytes(writer.high());
      out.eightBytes(writer.low());
    }
    if (hasPromise) {
      ballot(out, cell.promised(), cell.promised().round() - accepted.round(), writers);
    }
    if (hasFloor) {
      ballot(out, cell.floor(), accepted.round() - cell.floor().round(), writers);
    }
    out.variable(cell.content().recent().size());
    for (Ballot recent : cell.content().recent()) {
      ballot(out, recent, accepted.round() - recent.round(), writers);
    }
    return out.toBytes();
  }

  private static void ballot(ByteWriter out, Ballot ballot, long distance, List<WriterId> writers) {
    out.variable(writers.indexOf(ballot.writer()) * 4L + kind(ballot));
    out.variable(distance);
  }

  private static int kind(Ballot ballot) {
    return switch (ballot.kind()) {
      case FAST -> 0;
      case CONFIRM -> 1;
      case CLASSIC -> 2;
    };
  }

  /** Every writer once, that of the accepted ballot first. */
  private static List<WriterId> writers(Cell<Payload> cell, boolean promise, boolean floor) {
    List<WriterId> writers = new ArrayList<>(4);
    add(writers, cell.accepted());
    if (promise) {
      add(writers, cell.promised());
    }
    if (floor) {
      add(writers, cell.floor());
    }
    cell.content().recent().forEach(recent -> add(writers, recent));
    return writers;
  }

  private static void add(List<WriterId> writers, Ballot ballot) {
    if (!writers.contains(ballot.writer())) {
      writers.add(ballot.writer());
    }
  }

  /** Reads an acceptor's state, given the stamp of the envelope around it. */
  private record StateReader(Stamp stamp, ByteReader in) {

    Cell<Payload> cell(@Nullable Payload payload) {
      int flags = in.oneByte();
      Ballot accepted = new Ballot(stamp.micros(), kind(flags & KIND_MASK), stamp.writer());
      long sequence = in.variable();
      List<WriterId> writers = writers();
      Ballot promised = (flags & HAS_PROMISE) != 0 ? ballot(writers, 1) : accepted;
      Ballot floor = (flags & HAS_FLOOR) != 0 ? ballot(writers, -1) : accepted;
      if ((flags & FLOOR_IS_ZERO) != 0) {
        floor = Ballot.ZERO;
      }
      List<Ballot> recent = new ArrayList<>();
      for (long remaining = count(); remaining > 0; remaining--) {
        recent.add(ballot(writers, -1));
      }
      if (in.rest().size() > 0) {
        throw new MalformedEnvelopeException("no bytes after the acceptor state");
      }
      if (accepted.compareTo(promised) > 0 || floor.compareTo(accepted) > 0) {
        throw new MalformedEnvelopeException(
            "floor <= accepted <= promised; floor=%s accepted=%s promised=%s"
                .formatted(floor, accepted, promised));
      }
      return new Cell<>(promised, accepted, floor, new Content<>(sequence, recent, payload));
    }

    /** The length of a list; checked, because the bytes may be arbitrary. */
    private long count() {
      long count = in.variable();
      if (count < 0 || count > LONGEST_LIST) {
        throw new MalformedEnvelopeException(
            "at most " + LONGEST_LIST + " in a list; got=" + count);
      }
      return count;
    }

    private List<WriterId> writers() {
      List<WriterId> writers = new ArrayList<>(4);
      writers.add(stamp.writer());
      for (long remaining = count(); remaining > 0; remaining--) {
        writers.add(new WriterId(in.eightBytes(), in.eightBytes()));
      }
      return writers;
    }

    private Ballot ballot(List<WriterId> writers, int direction) {
      long code = in.variable();
      long round = stamp.micros() + direction * in.variable();
      long writer = code >>> 2;
      if (writer >= writers.size()) {
        throw new MalformedEnvelopeException("a writer listed in the table; index=" + writer);
      }
      return new Ballot(round, kind((int) code & KIND_MASK), writers.get((int) writer));
    }

    private static Kind kind(int number) {
      if (number >= KINDS.length) {
        throw new MalformedEnvelopeException("a kind of ballot; got=" + number);
      }
      return KINDS[number];
    }
  }
}
