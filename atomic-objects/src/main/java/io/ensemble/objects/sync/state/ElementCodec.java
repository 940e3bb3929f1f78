package io.ensemble.objects.sync.state;

import io.ensemble.objects.value.ValueCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes values of one application class. */
public record ElementCodec<V>(ValueCodec values, Class<V> type) {

  public ElementCodec {
    if (type.isPrimitive()) {
      throw new IllegalArgumentException("expected a class of objects; got " + type);
    }
  }

  /** Equal values have equal bytes, as far as their classes permit. */
  public EncodedValue write(V value) {
    return new EncodedValue(values.canonical(Objects.requireNonNull(value, "a value")));
  }

  public @Nullable EncodedValue writeOrNull(@Nullable V value) {
    return value == null ? null : write(value);
  }

  public V read(EncodedValue encodedValue) {
    return type.cast(Objects.requireNonNull(values.read(encodedValue.bytes())));
  }

  public @Nullable V readOrNull(@Nullable EncodedValue encodedValue) {
    return encodedValue == null ? null : read(encodedValue);
  }

  List<EncodedValue> writeAll(Collection<? extends V> all) {
    List<EncodedValue> items = new ArrayList<>(all.size());
    all.forEach(v -> items.add(write(v)));
    return items;
  }

  public List<V> readAll(Collection<EncodedValue> items) {
    List<V> all = new ArrayList<>(items.size());
    items.forEach(i -> all.add(read(i)));
    return all;
  }
}
