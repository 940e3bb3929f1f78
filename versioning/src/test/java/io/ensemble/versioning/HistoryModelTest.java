package io.ensemble.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.versioning.order.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each index, used by three processes in turn, returns what the model returns. */
@Execution(ExecutionMode.CONCURRENT)
class HistoryModelTest {

  private static final int GATE_SEEDS = 2;
  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 200 : 8;
  private static final int STEPS = 250;
  private static final int KEYS = 8;
  private static final int RANGE = 120;

  @ParameterizedTest
  @EnumSource
  void eachIndexAnswersAsTheModelDoes(IndexType indexType) {
    play(indexType, 0, GATE_SEEDS);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("nightly")
  void eachIndexAnswersAsTheModelDoesWithMoreSeeds(IndexType indexType) {
    play(indexType, GATE_SEEDS, SEEDS);
  }

  private static void play(IndexType indexType, long from, long end) {
    for (long seed = from; seed < end; seed++) {
      try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(seed)) {
        play(versionedCacheFixture, indexType, seed);
      }
    }
  }

  private static void play(
      VersionedCacheFixture versionedCacheFixture, IndexType indexType, long seed) {
    Random random = new Random(seed);
    List<VersionedCache<String, String, Long>> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(
          versionedCacheFixture.process(
              new Timestamps(() -> 0), VersionedCacheFixture.small(indexType, seed)));
    }
    List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
    List<HistoryModel> models = keys.stream().map(key -> new HistoryModel()).toList();
    long cut = 0;
    for (int step = 0; step < STEPS; step++) {
      int key = random.nextInt(1 + KEYS * step / STEPS); // Keys are added over time.
      VersionedCache<String, String, Long> cache = processes.get(random.nextInt(3));
      String what = indexType + " seed " + seed + " step " + step;
      if (random.nextInt(40) == 0) {
        long version = random.nextInt(RANGE);
        cut = Math.max(cut, version);
        cutAt(cache, version, keys, models, what);
      } else {
        step(cache, keys.get(key), models.get(key), cut, random, what);
      }
    }
    for (int key = 0; key < keys.size(); key++) {
      processes.get(0).settle(keys.get(key));
      assertThat(processes.get(1).getRange(keys.get(key), 0L, Long.MAX_VALUE))
          .as("%s seed %s at the end", indexType, seed)
          .isEqualTo(models.get(key).range(0, Long.MAX_VALUE));
    }
  }

  /** Compares a snapshot of all keys with the models. It creates no history for other keys. */
  private static void cutAt(
      VersionedCache<String, String, Long> cache,
      long version,
      List<String> keys,
      List<HistoryModel> models,
      String what) {
    Map<String, String> due = new HashMap<>();
    int compacted = 0;
    for (int i = 0; i < keys.size(); i++) {
      HistoryModel model = models.get(i);
      if (model.top > 0 || model.admitted) {
        model.raise(version);
      }
      if (version < model.horizon && model.hasCompacted) {
        compacted++;
      } else {
        String key = keys.get(i);
        HistoryModel.of(model.versions.floorEntry(version))
            .flatMap(Versioned::value)
            .ifPresent(v -> due.put(key, v));
      }
    }
    Map<String, String> shown = new HashMap<>();
    int refused = 0;
    try (CloseableIterator<Map.Entry<String, Versioned<Long, String>>> walk =
        cache.at(version).entries()) {
      for (boolean more = true; more; ) {
        try {
          more = walk.hasNext();
          if (more) {
            Map.Entry<String, Versioned<Long, String>> entry = walk.next();
            shown.put(entry.getKey(), entry.getValue().value().orElseThrow());
          }
        } catch (VersioningException.VersionCompacted e) {
          refused++;
        }
      }
    }
    assertThat(refused).as(what).isEqualTo(compacted);
    assertThat(shown).as(what).isEqualTo(due);
  }

  private static void step(
      VersionedCache<String, String, Long> cache,
      String key,
      HistoryModel model,
      long cut,
      Random random,
      String what) {
    long version = random.nextInt(RANGE);
    int kind = random.nextInt(100);
    if (kind < 58) {
      model.admit(cut);
    }
    if (kind < 25) {
      String value = value(random);
      Long added = cache.add(key, value);
      assertThat(added).as(what).isGreaterThan(model.top);
      model.added(added, Optional.of(value));
    } else if (kind < 55) {
      String value = value(random);
      Class<? extends RuntimeException> due = model.put(version, Optional.of(value));
      Throwable thrown = catchThrowable(() -> cache.put(key, value, version));
      assertThat(thrown == null ? null : thrown.getClass()).as(what).isEqualTo(due);
    } else if (kind < 58) {
      List<Versioned<Long, String>> all = new ArrayList<>();
      for (int i = 0; i < 7; i++) {
        model.added(model.top + 1, Optional.of("bulk " + i));
        all.add(new Versioned<>(model.top, Optional.of("bulk " + i)));
      }
      cache.addAll(key, all);
    } else if (kind < 60) {
      asOf(cache, key, model, version, what);
    } else if (kind < 62) {
      cache.compact(key, version);
      model.compact(version);
    } else {
      read(cache, key, model, random, version, what);
    }
  }

  private static void asOf(
      VersionedCache<String, String, Long> cache,
      String key,
      HistoryModel model,
      long version,
      String what) {
    model.raise(version);
    if (version < model.horizon && model.hasCompacted) {
      assertThat(catchThrowable(() -> cache.asOf(key, version)))
          .as(what)
          .isInstanceOf(VersioningException.VersionCompacted.class);
    } else {
      assertThat(cache.asOf(key, version))
          .as(what)
          .isEqualTo(HistoryModel.of(model.versions.floorEntry(version)));
    }
  }

  private static void read(
      VersionedCache<String, String, Long> cache,
      String key,
      HistoryModel model,
      Random random,
      long version,
      String what) {
    switch (random.nextInt(8)) {
      case 0 ->
          assertThat(cache.latest(key))
              .as(what)
              .isEqualTo(HistoryModel.of(model.versions.lastEntry()));
      case 1 -> {
        if (model.versions.containsKey(version)) {
          assertThat(cache.get(key, version)).as(what).isEqualTo(model.versions.get(version));
        } else {
          assertThat(catchThrowable(() -> cache.get(key, version)))
              .as(what)
              .isInstanceOf(model.missing(version));
        }
      }
      case 2 -> {
        long to = version + random.nextInt(40);
        assertThat(cache.getRange(key, version, to)).as(what).isEqualTo(model.range(version, to));
      }
      case 3 ->
          assertThat(cache.getPredecessor(key, version))
              .as(what)
              .isEqualTo(HistoryModel.of(model.versions.lowerEntry(version)));
      case 4 ->
          assertThat(cache.getSuccessor(key, version))
              .as(what)
              .isEqualTo(HistoryModel.of(model.versions.higherEntry(version)));
      case 5 -> {
        AsOfResult<Long, String> found = cache.getAtOrBelow(key, version);
        assertThat(found).as(what).isEqualTo(model.atOrBelow(version));
        assertThat(cache.getAsOf(key, Instant.ofEpochMilli(version))).as(what).isEqualTo(found);
      }
      case 6 -> {
        long to = version + random.nextInt(80);
        List<Versioned<Long, String>> all = new ArrayList<>();
        cache.iterateRange(key, version, to, 1 + random.nextInt(9)).forEachRemaining(all::add);
        assertThat(all).as(what).isEqualTo(model.range(version, to));
        assertThat(cache.getBetween(key, Instant.ofEpochMilli(version), Instant.ofEpochMilli(to)))
            .as(what)
            .isEqualTo(all);
      }
      default -> {
        int limit = random.nextInt(12);
        boolean descending = random.nextBoolean();
        List<Long> due = new ArrayList<>(model.versions.tailMap(version).keySet());
        if (descending) {
          Collections.reverse(due);
        }
        assertThat(cache.versions(key, version, null, limit, descending))
            .as(what)
            .isEqualTo(due.subList(0, Math.min(limit, due.size())));
      }
    }
  }

  private static String value(Random random) {
    return "v".repeat(random.nextInt(30)) + random.nextInt(1000);
  }
}
