package io.ensemble.objects.record;

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
 * Encodes roots and batches: a byte for the format, then the fields in the order of their records,
 * big-endian. Lengths are checked before memory is allocated for them.
 */
public final class RootCodec {

  private static final int ROOT = 1;
  private static final int BATCH = 2;

  private RootCodec() {}

  /** Encodes a root. */
  public static byte[] write(ObjectRoot root) {
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
          SnapshotAnnouncement announced = root.announced();
          optionalId(out, announced == null ? null : announced.snapshot());
          if (announced != null) {
            id(out, announced.writer());
            out.writeLong(announced.sequence());
          }
          body(out, root.body());
          out.writeInt(root.members().size());
          for (SessionEntry sessionEntry : root.members()) {
            member(out, sessionEntry);
          }
        });
  }

  /** Encodes a batch. */
  public static byte[] write(CallBatch batch) {
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

  /** Decodes a root. Throws {@link UnreadableException}. */
  public static ObjectRoot root(byte[] bytes) {
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
          SnapshotAnnouncement announced =
              snapshot == null ? null : new SnapshotAnnouncement(snapshot, id(in), in.readLong());
          StateLocation body = body(in);
          int count = count(in, 36);
          List<SessionEntry> members = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            members.add(member(in));
          }
          return new ObjectRoot(
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

  /** Decodes a batch. Throws {@link UnreadableException}. */
  public static CallBatch batch(byte[] bytes) {
    return read(
        bytes, BATCH, in -> new CallBatch(id(in), id(in), in.readLong(), in.readLong(), calls(in)));
  }

  private static void body(DataOutputStream out, StateLocation body) throws IOException {
    if (body instanceof StateLocation.Inline inline) {
      out.writeByte(1);
      bytes(out, inline.state());
    } else if (body instanceof StateLocation.Stored stored) {
      out.writeByte(2);
      id(out, stored.snapshot());
      out.writeLong(stored.at());
      out.writeLong(stored.position());
      out.writeInt(stored.tail().size());
      for (List<ByteString> step : stored.tail()) {
        calls(out, step);
      }
    } else {
      out.writeByte(3);
    }
  }

  private static StateLocation body(DataInputStream in) throws IOException {
    int kind = in.readByte();
    switch (kind) {
      case 1:
        return new StateLocation.Inline(bytes(in));
      case 2:
        UUID snapshot = id(in);
        long at = in.readLong();
        long position = in.readLong();
        int count = count(in, 4);
        List<List<ByteString>> tail = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          tail.add(calls(in));
        }
        return new StateLocation.Stored(snapshot, at, position, tail);
      case 3:
        return new StateLocation.Disposed();
      default:
        throw new IOException("unknown kind of state " + kind);
    }
  }

  private static void member(DataOutputStream out, SessionEntry sessionEntry) throws IOException {
    id(out, sessionEntry.session());
    out.writeLong(sessionEntry.number());
    out.writeLong(sessionEntry.sequence());
    out.writeInt(sessionEntry.outcomes().size());
    for (CallOutcome outcome : sessionEntry.outcomes()) {
      out.writeBoolean(outcome.applied());
      bytes(out, outcome.bytes());
    }
  }

  private static SessionEntry member(DataInputStream in) throws IOException {
    UUID session = id(in);
    long number = in.readLong();
    long sequence = in.readLong();
    int count = count(in, 5);
    List<CallOutcome> outcomes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      outcomes.add(new CallOutcome(in.readBoolean(), bytes(in)));
    }
    return new SessionEntry(session, number, sequence, outcomes);
  }

  private static void calls(DataOutputStream out, List<ByteString> calls) throws IOException {
    out.writeInt(calls.size());
    for (ByteString call : calls) {
      bytes(out, call);
    }
  }

  private static List<ByteString> calls(DataInputStream in) throws IOException {
    int count = count(in, 4);
    List<ByteString> calls = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      calls.add(bytes(in));
    }
    return calls;
  }

  private static void bytes(DataOutputStream out, ByteString bytes) throws IOException {
    out.writeInt(bytes.size());
    out.write(bytes.array());
  }

  private static ByteString bytes(DataInputStream in) throws IOException {
    byte[] array = new byte[count(in, 1)];
    in.readFully(array);
    return ByteString.of(array);
  }

  /** A number of items of at least {@code size} bytes each; so many bytes must remain. */
  private static int count(DataInputStream in, int size) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * size > in.available()) {
      throw new IOException(count + " elements in " + in.available() + " bytes");
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
      throw new UncheckedIOException("the name of a type is too long", e);
    }
    return bytes.toByteArray();
  }

  private static <T> T read(byte[] bytes, int format, Reading<T> reading) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    try {
      int found = in.read();
      if (found != format) {
        throw new IOException("expected format " + format + ", found " + found);
      }
      T value = reading.from(in);
      if (in.available() > 0) {
        throw new IOException(in.available() + " unexpected bytes at the end");
      }
      return value;
    } catch (IOException e) {
      throw new UnreadableException("not the entry of an atomic object: " + e.getMessage(), e);
    }
  }
}
