package io.ensemble.objects.machine;

import io.ensemble.objects.value.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a call ended, for its sender. */
sealed interface Outcome {

  /** The method returned this, or nothing, which is null. */
  record Returned(@Nullable Object value) implements Outcome {
    @Override
    public byte[] write(Values values) {
      List<byte @Nullable []> parts = new ArrayList<>();
      parts.add(value == null ? null : values.write(value));
      return new Parts(RETURNED, parts).write();
    }
  }

  /** The method returned its own object. */
  record Itself() implements Outcome {
    @Override
    public byte[] write(Values values) {
      return new Parts(ITSELF, List.of()).write();
    }
  }

  /** The method threw. */
  record Threw(Thrown thrown) implements Outcome {
    @Override
    public byte[] write(Values values) {
      return new Parts(THREW, thrown.parts()).write();
    }
  }

  /** The first byte, which also tells the format's version. */
  byte RETURNED = 1;

  /** As {@link #RETURNED}. */
  byte ITSELF = 2;

  /** As {@link #RETURNED}. */
  byte THREW = 3;

  /** As bytes. */
  byte[] write(Values values);

  /**
   * From bytes.
   *
   * @throws UnreadableException if they are no outcome, or its value cannot be read here
   */
  static Outcome read(byte[] bytes, Values values) {
    Parts read = Parts.read(bytes, "an outcome");
    List<byte @Nullable []> parts = read.parts();
    if (read.kind() == RETURNED && parts.size() == 1) {
      byte[] value = parts.get(0);
      return new Returned(value == null ? null : Reading.value(values, value, "a result"));
    }
    if (read.kind() == ITSELF) {
      return new Itself();
    }
    if (read.kind() == THREW) {
      return new Threw(Thrown.of(parts));
    }
    throw new UnreadableException(
        "an outcome is of kind 1 to 3, with its parts; got kind "
            + read.kind()
            + " with "
            + parts.size(),
        null);
  }
}
