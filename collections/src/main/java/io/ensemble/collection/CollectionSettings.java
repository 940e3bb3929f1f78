package io.ensemble.collection;

import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an iteration.
 *
 * @param position where to begin; null for the beginning
 */
record CollectionSettings<K, V>(
    CollectionSlice slice,
    @Nullable String position,
    Predicate<? super K> keys,
    BiPredicate<? super K, ? super V> entries,
    Bounds bounds,
    Consumer<? super CollectionProgress> progress) {

  /**
   * Bounds of memory and of repetition.
   *
   * @param readsAhead how many values are read at a time
   * @param attempts how often a pass or a read is tried
   */
  record Bounds(int readsAhead, int mostKeys, long mostKeyBytes, int attempts) {

    static final int MOST_READS_AHEAD = 1_024;
    static final int MOST_ATTEMPTS = 100;

    Bounds {
      check("reads ahead", readsAhead, MOST_READS_AHEAD);
      check("keys in memory", mostKeys, 1 << 24);
      check("attempts", attempts, MOST_ATTEMPTS);
      if (mostKeyBytes < 1) {
        throw new IllegalArgumentException("bytes of keys in memory must be positive");
      }
    }

    private static void check(String what, int value, int most) {
      if (value < 1 || value > most) {
        throw new IllegalArgumentException(
            "%s must be in [1, %d]; got %d".formatted(what, most, value));
      }
    }
  }

  static <K, V> CollectionSettings<K, V> defaults() {
    return new CollectionSettings<>(
        CollectionSlice.ALL,
        null,
        key -> true,
        (key, value) -> true,
        new Bounds(64, 200_000, 32L << 20, 3),
        progress -> {});
  }

  CollectionSettings<K, V> in(CollectionSlice other) {
    return new CollectionSettings<>(other, position, keys, entries, bounds, progress);
  }

  CollectionSettings<K, V> from(String other) {
    return new CollectionSettings<>(slice, other, keys, entries, bounds, progress);
  }

  CollectionSettings<K, V> filtered(
      Predicate<? super K> otherKeys, BiPredicate<? super K, ? super V> otherEntries) {
    return new CollectionSettings<>(slice, position, otherKeys, otherEntries, bounds, progress);
  }

  CollectionSettings<K, V> bounded(int readsAhead, int mostKeys, long mostKeyBytes) {
    Bounds other = new Bounds(readsAhead, mostKeys, mostKeyBytes, bounds.attempts());
    return new CollectionSettings<>(slice, position, keys, entries, other, progress);
  }

  CollectionSettings<K, V> trying(int attempts) {
    Bounds other =
        new Bounds(bounds.readsAhead(), bounds.mostKeys(), bounds.mostKeyBytes(), attempts);
    return new CollectionSettings<>(slice, position, keys, entries, other, progress);
  }

  CollectionSettings<K, V> reporting(Consumer<? super CollectionProgress> other) {
    return new CollectionSettings<>(slice, position, keys, entries, bounds, other);
  }
}
