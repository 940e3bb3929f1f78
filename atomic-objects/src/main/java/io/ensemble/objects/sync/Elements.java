package io.ensemble.objects.sync;

import io.ensemble.objects.value.Values;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values of one class of the user's, to bytes and back. */
record Elements<V>(Values values, Class<V> type) {

  Elements {
    if (type.isPrimitive()) {
      throw new IllegalArgumentException("a class of objects is wanted; got " + type);
    }
  }

  /** The same for values that are equal, as far as their classes are. */
  Item write(V value) {
    return new Item(values.canonical(Objects.requireNonNull(value, "a value")));
  }

  @Nullable Item writeOrNull(@Nullable V value) {
    return value == null ? null : write(value);
  }

  V read(Item item) {
    return type.cast(Objects.requireNonNull(values.read(item.bytes())));
  }

  @Nullable V readOrNull(@Nullable Item item) {
    return item == null ? null : read(item);
  }

  List<Item> writeAll(Collection<? extends V> all) {
    List<Item> items = new ArrayList<>(all.size());
    all.forEach(v -> items.add(write(v)));
    return items;
  }

  List<V> readAll(Collection<Item> items) {
    List<V> all = new ArrayList<>(items.size());
    items.forEach(i -> all.add(read(i)));
    return all;
  }
}
