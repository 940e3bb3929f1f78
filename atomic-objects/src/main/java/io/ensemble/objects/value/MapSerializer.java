package io.ensemble.objects.value;

import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One class of maps of the JDK: its order if it has one, the count, and key and value of every
 * entry as they come.
 *
 * @param order the comparator of one that is sorted
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

  /** What is to be filled, and what the user sees of it. */
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

  /** An empty one into {@code slot}, then its entries. */
  void read(ValueReader from, int slot) {
    Made made = maker.make(order == null ? null : KnownComparators.read(from.in()));
    from.fill(slot, made.face());
    from.entries(made.inside());
  }
}
