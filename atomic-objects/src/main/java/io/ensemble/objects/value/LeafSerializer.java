package io.ensemble.objects.value;

import java.util.function.BiConsumer;
import java.util.function.Function;

/** Serializes values that contain no other value; mutable values are numbered. */
record LeafSerializer<T>(
    int tag,
    Class<T> type,
    boolean numbered,
    BiConsumer<ValueOutput, T> writer,
    Function<ValueInput, T> reader)
    implements ValueSerializer {

  @Override
  public void write(ValueWriter to, Object value) {
    to.out().octet(tag);
    writer.accept(to.out(), type.cast(value));
  }

  @Override
  public boolean plain() {
    return !numbered;
  }
}
