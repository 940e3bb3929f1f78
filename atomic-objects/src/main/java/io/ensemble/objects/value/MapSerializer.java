package io.ensemble.objects.value;

import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serializes one class of JDK maps: its comparator if it has one, the count, key and value of every
 * entry in iteration order.
 *
 * @param order the comparator of a sorted map
 * @param unordered whether the order of the entries is an accident
 */
record MapSerializer(
    int tag,
    Maker maker,
    @Nullable Function<Map<?, ?>, @Nullable Comparator<?>> order,
    boolean unordered)
    implements ValueSerializer {

  /** Makes an empty map. */
  interface Maker {
    Made make(@Nullable Comparator<Object> order);
  }

  /** The map to fill, and the map that the application gets. */
  record Made(Map<@Nullable Object, @Nullable Object> inside, Object face) {}

  @Override
  public void write(ValueWriter to, Object value) {
    Map<?, ?> table = (Map<?, ?>) value;
    to.out().octet(tag);
    if (order != null) {
      KnownComparators.write(to.out(), order.apply(table));
    }
    to.entries(table, unordered);
  }

  /** Puts an empty map into {@code slot}, then its entries. */
  void read(ValueReader from, int slot) {
    Made made = maker.make(order == null ? null : KnownComparators.read(from.in()));
    from.fill(slot, made.face());
    from.entries(made.inside());
  }
}
