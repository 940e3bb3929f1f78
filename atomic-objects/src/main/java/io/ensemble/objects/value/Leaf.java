package io.ensemble.objects.value;

import java.util.function.BiConsumer;
import java.util.function.Function;

/** Values that contain no other; those that can change are numbered. */
record Leaf<T>(
    int tag,
    Class<T> type,
    boolean numbered,
    BiConsumer<Output, T> writer,
    Function<Input, T> reader)
    implements Plan {

  @Override
  public void write(Writing to, Object value) {
    to.out().octet(tag);
    writer.accept(to.out(), type.cast(value));
  }

  @Override
  public boolean plain() {
    return !numbered;
  }
}
