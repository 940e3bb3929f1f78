package io.ensemble.objects.value;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serializes one class of JDK collections: its comparator if it has one, the count, the elements in
 * iteration order.
 *
 * @param order the comparator of a sorted collection
 * @param looks whether adding an element calls its hash code, or compares it, so that it must be
 *     complete by then
 * @param unordered whether the order of the elements is an accident
 */
record CollectionSerializer(
    int tag,
    Maker maker,
    @Nullable Function<Collection<?>, @Nullable Comparator<?>> order,
    boolean looks,
    boolean unordered)
    implements ValueSerializer {

  /** Makes an empty collection. */
  interface Maker {
    Made make(@Nullable Comparator<Object> order);
  }

  /** The collection to fill, and the collection that the application gets. */
  record Made(Collection<@Nullable Object> inside, Object face) {}

  @Override
  public void write(ValueWriter to, Object value) {
    Collection<?> pile = (Collection<?>) value;
    to.out().octet(tag);
    if (order != null) {
      KnownComparators.write(to.out(), order.apply(pile));
    }
    // A copy, since a concurrent collection may change between its count and its elements.
    @Nullable Object[] elements = pile.toArray();
    if (unordered && to.canonical()) {
      elements = to.sorted(elements, element -> element);
    }
    to.elements(elements);
  }

  /** Puts an empty collection into {@code slot}, then its elements. */
  void read(ValueReader from, int slot) {
    Made made = maker.make(order == null ? null : KnownComparators.read(from.in()));
    from.fill(slot, made.face());
    int count = from.in().count();
    if (!looks) {
      for (int i = 0; i < count; i++) {
        made.inside().add(from.value(Object.class));
      }
      return;
    }
    int loops = from.loops();
    @Nullable Object[] elements = from.values(count);
    from.whenComplete(loops, () -> made.inside().addAll(Arrays.asList(elements)));
  }
}
