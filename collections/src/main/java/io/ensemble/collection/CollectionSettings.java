package io.ensemble.collection;

import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an iteration.
 *
 * @param position where to begin; null for the beginning
 * @param readsAhead how many values are read at a time
 * @param scansAtOnce how many parts are scanned at a time
 * @param attempts how often a pass or a read is tried
 * @param progressEvery how many visited keys are between two reports of progress
 */
record CollectionSettings<K, V>(
    CollectionSlice slice,
    @Nullable String position,
    Predicate<? super K> keys,
    BiPredicate<? super K, ? super V> entries,
    int readsAhead,
    int scansAtOnce,
    int mostKeys,
    long mostKeyBytes,
    int attempts,
    int progressEvery,
    Consumer<? super CollectionProgress> progress) {

  static final int MOST_READS_AHEAD = 1_024;
  static final int MOST_ATTEMPTS = 100;

  CollectionSettings {
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

  static <K, V> CollectionSettings<K, V> defaults() {
    return new CollectionSettings<>(
        CollectionSlice.ALL,
        null,
        key -> true,
        (key, value) -> true,
        64,
        8,
        200_000,
        32L << 20,
        3,
        1_000,
        progress -> {});
  }

  CollectionSettings<K, V> in(CollectionSlice other) {
    return new CollectionSettings<>(
        other,
        position,
        keys,
        entries,
        readsAhead,
        scansAtOnce,
        mostKeys,
        mostKeyBytes,
        attempts,
        progressEvery,
        progress);
  }

  CollectionSettings<K, V> from(String other) {
    return new CollectionSettings<>(
        slice,
        other,
        keys,
        entries,
        readsAhead,
        scansAtOnce,
        mostKeys,
        mostKeyBytes,
        attempts,
        progressEvery,
        progress);
  }

  CollectionSettings<K, V> filtered(
      Predicate<? super K> otherKeys, BiPredicate<? super K, ? super V> otherEntries) {
    return new CollectionSettings<>(
        slice,
        position,
        otherKeys,
        otherEntries,
        readsAhead,
        scansAtOnce,
        mostKeys,
        mostKeyBytes,
        attempts,
        progressEvery,
        progress);
  }

  CollectionSettings<K, V> bounded(int otherReadsAhead, int otherKeys, long otherKeyBytes) {
    return new CollectionSettings<>(
        slice,
        position,
        keys,
        entries,
        otherReadsAhead,
        scansAtOnce,
        otherKeys,
        otherKeyBytes,
        attempts,
        progressEvery,
        progress);
  }

  CollectionSettings<K, V> trying(int otherAttempts) {
    return new CollectionSettings<>(
        slice,
        position,
        keys,
        entries,
        readsAhead,
        scansAtOnce,
        mostKeys,
        mostKeyBytes,
        otherAttempts,
        progressEvery,
        progress);
  }

  CollectionSettings<K, V> reporting(Consumer<? super CollectionProgress> other) {
    return new CollectionSettings<>(
        slice,
        position,
        keys,
        entries,
        readsAhead,
        scansAtOnce,
        mostKeys,
        mostKeyBytes,
        attempts,
        progressEvery,
        other);
  }
}
