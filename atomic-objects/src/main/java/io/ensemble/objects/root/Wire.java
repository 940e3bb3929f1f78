package io.ensemble.objects.root;

import io.ensemble.objects.machine.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Roots and batches as bytes: a byte for the format, then the fields in the order of their records,
 * big-endian. Lengths are checked before anything is set aside for them.
 */
public final class Wire {

  private static final int ROOT = 1;
  private static final int BATCH = 2;

  private Wire() {}

  /** A root as bytes. */
  public static byte[] write(Root root) {
    return written(
        out -> {
          out.writeByte(ROOT);
          out.writeUTF(root.type());
          id(out, root.birth());
          out.writeLong(root.sequence());
          out.writeLong(root.position());
          out.writeLong(root.horizon());
          out.writeLong(root.fingerprint());
          optionalId(out, root.combiner());
          Announced announced = root.announced();
          optionalId(out, announced == null ? null : announced.snapshot());
          if (announced != null) {
            id(out, announced.writer());
            out.writeLong(announced.sequence());
          }
          body(out, root.body());
          out.writeInt(root.members().size());
          for (Member member : root.members()) {
            member(out, member);
          }
        });
  }

  /** A batch as bytes. */
  public static byte[] write(Batch batch) {
    return written(
        out -> {
          out.writeByte(BATCH);
          id(out, batch.birth());
          id(out, batch.session());
          out.writeLong(batch.number());
          out.writeLong(batch.base());
          calls(out, batch.calls());
        });
  }

  /** The root that was written so. Throws {@link UnreadableException}. */
  public static Root root(byte[] bytes) {
    return read(
        bytes,
        ROOT,
        in -> {
          String type = in.readUTF();
          UUID birth = id(in);
          long sequence = in.readLong();
          long position = in.readLong();
          long horizon = in.readLong();
          long fingerprint = in.readLong();
          UUID combiner = optionalId(in);
          UUID snapshot = optionalId(in);
          Announced announced =
              snapshot == null ? null : new Announced(snapshot, id(in), in.readLong());
          Body body = body(in);
          int count = count(in, 36);
          List<Member> members = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            members.add(member(in));
          }
          return new Root(
              type,
              birth,
              sequence,
              position,
              body,
              members,
              horizon,
              combiner,
              announced,
              fingerprint);
        });
  }

  /** The batch that was written so. Throws {@link UnreadableException}. */
  public static Batch batch(byte[] bytes) {
    return read(
        bytes, BATCH, in -> new Batch(id(in), id(in), in.readLong(), in.readLong(), calls(in)));
  }

  private static void body(DataOutputStream out, Body body) throws IOException {
    if (body instanceof Body.Inline inline) {
      out.writeByte(1);
      bytes(out, inline.state());
    } else if (body instanceof Body.Stored stored) {
      out.writeByte(2);
      id(out, stored.snapshot());
      out.writeLong(stored.at());
      out.writeLong(stored.position());
      out.writeInt(stored.tail().size());
      for (List<Bytes> step : stored.tail()) {
        calls(out, step);
      }
    } else {
      out.writeByte(3);
    }
  }

  private static Body body(DataInputStream in) throws IOException {
    int kind = in.readByte();
    switch (kind) {
      case 1:
        return new Body.Inline(bytes(in));
      case 2:
        UUID snapshot = id(in);
        long at = in.readLong();
        long position = in.readLong();
        int count = count(in, 4);
        List<List<Bytes>> tail = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          tail.add(calls(in));
        }
        return new Body.Stored(snapshot, at, position, tail);
      case 3:
        return new Body.Disposed();
      default:
        throw new IOException("a state of kind " + kind);
    }
  }

  private static void member(DataOutputStream out, Member member) throws IOException {
    id(out, member.session());
    out.writeLong(member.number());
    out.writeLong(member.sequence());
    out.writeInt(member.outcomes().size());
    for (Outcome outcome : member.outcomes()) {
      out.writeBoolean(outcome.applied());
      bytes(out, outcome.bytes());
    }
  }

  private static Member member(DataInputStream in) throws IOException {
    UUID session = id(in);
    long number = in.readLong();
    long sequence = in.readLong();
    int count = count(in, 5);
    List<Outcome> outcomes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      outcomes.add(new Outcome(in.readBoolean(), bytes(in)));
    }
    return new Member(session, number, sequence, outcomes);
  }

  private static void calls(DataOutputStream out, List<Bytes> calls) throws IOException {
    out.writeInt(calls.size());
    for (Bytes call : calls) {
      bytes(out, call);
    }
  }

  private static List<Bytes> calls(DataInputStream in) throws IOException {
    int count = count(in, 4);
    List<Bytes> calls = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      calls.add(bytes(in));
    }
    return calls;
  }

  private static void bytes(DataOutputStream out, Bytes bytes) throws IOException {
    out.writeInt(bytes.size());
    out.write(bytes.array());
  }

  private static Bytes bytes(DataInputStream in) throws IOException {
    byte[] array = new byte[count(in, 1)];
    in.readFully(array);
    return Bytes.of(array);
  }

  /** A number of things of at least {@code size} bytes each, which must still be there. */
  private static int count(DataInputStream in, int size) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * size > in.available()) {
      throw new IOException(count + " things where " + in.available() + " bytes are left");
    }
    return count;
  }

  private static void id(DataOutputStream out, UUID id) throws IOException {
    out.writeLong(id.getMostSignificantBits());
    out.writeLong(id.getLeastSignificantBits());
  }

  private static UUID id(DataInputStream in) throws IOException {
    return new UUID(in.readLong(), in.readLong());
  }

  private static void optionalId(DataOutputStream out, @Nullable UUID id) throws IOException {
    out.writeBoolean(id != null);
    if (id != null) {
      id(out, id);
    }
  }

  private static @Nullable UUID optionalId(DataInputStream in) throws IOException {
    return in.readBoolean() ? id(in) : null;
  }

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private interface Reading<T> {
    T from(DataInputStream in) throws IOException;
  }

  private static byte[] written(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try {
      writing.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException("a type's name is too long", e);
    }
    return bytes.toByteArray();
  }

  private static <T> T read(byte[] bytes, int format, Reading<T> reading) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      int found = in.read();
      if (found != format) {
        throw new IOException("format " + format + " wanted, found " + found);
      }
      T value = reading.from(in);
      if (in.available() > 0) {
        throw new IOException(in.available() + " bytes too many");
      }
      return value;
    } catch (IOException e) {
      throw new UnreadableException("not an atomic object's entry: " + e.getMessage(), e);
    }
  }
}
