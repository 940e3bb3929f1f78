package io.ensemble.objects.machine;

import io.ensemble.objects.value.ValueCodec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a call ended, for its caller. */
sealed interface MethodOutcome {

  /** The method returned this value; null also if it returns nothing. */
  record Returned(@Nullable Object value) implements MethodOutcome {
    @Override
    public byte[] write(ValueCodec valueCodec) {
      List<byte @Nullable []> parts = new ArrayList<>();
      parts.add(value == null ? null : valueCodec.write(value));
      return new ByteStringList(RETURNED, parts).write();
    }
  }

  /** The method returned its own object. */
  record Itself() implements MethodOutcome {
    @Override
    public byte[] write(ValueCodec valueCodec) {
      return new ByteStringList(ITSELF, List.of()).write();
    }
  }

  /** The method threw. */
  record Threw(ExceptionDescriptor thrown) implements MethodOutcome {
    @Override
    public byte[] write(ValueCodec valueCodec) {
      return new ByteStringList(THREW, thrown.parts()).write();
    }
  }

  /** The first byte, which also identifies the version of the format. */
  byte RETURNED = 1;

  /** As {@link #RETURNED}. */
  byte ITSELF = 2;

  /** As {@link #RETURNED}. */
  byte THREW = 3;

  /** Encodes the outcome. */
  byte[] write(ValueCodec valueCodec);

  /**
   * Decodes an outcome.
   *
   * @throws UnreadableException if the bytes are not an outcome, or the value cannot be read here
   */
  static MethodOutcome read(byte[] bytes, ValueCodec valueCodec) {
    ByteStringList read = ByteStringList.read(bytes, "an outcome");
    List<byte @Nullable []> parts = read.parts();
    if (read.kind() == RETURNED && parts.size() == 1) {
      byte[] value = parts.get(0);
      return new Returned(value == null ? null : SafeDecoder.value(valueCodec, value, "a result"));
    }
    if (read.kind() == ITSELF) {
      return new Itself();
    }
    if (read.kind() == THREW) {
      return new Threw(ExceptionDescriptor.of(parts));
    }
    throw new UnreadableException(
        "an outcome must be of kind 1 to 3, with its parts; got kind "
            + read.kind()
            + " with "
            + parts.size(),
        null);
  }
}
