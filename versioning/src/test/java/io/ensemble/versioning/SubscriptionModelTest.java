package io.ensemble.versioning;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.listen.SubscriptionBuilder;
import io.ensemble.versioning.listen.SubscriptionPosition;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random additions, some of them late, compactions and purges, on a store that loses events and
 * responses. The subscription is stopped repeatedly and continues from its position in another
 * process. Each version is delivered once, in the order of addition, or reported as gone if it was
 * removed.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class SubscriptionModelTest {

  private static final int GATE_SEEDS = 2;
  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 60 : 4;
  private static final int STEPS = 160;
  private static final int KEYS = 3;

  /** The versions added to a key, by their sequence number minus one. */
  private static final class Truth {
    final List<Long> versions = new ArrayList<>();
    final List<String> values = new ArrayList<>();
    final Set<Long> removed = new HashSet<>();

    void added(long version, String value) {
      versions.add(version);
      values.add(value);
    }

    /** Records all versions that are not in {@code left} as removed. */
    void only(List<Long> left) {
      for (int i = 0; i < versions.size(); i++) {
        if (!left.contains(versions.get(i))) {
          removed.add(i + 1L);
        }
      }
    }
  }

  /** One seed listens to all keys, the other to named keys. */
  @ParameterizedTest
  @EnumSource
  void eachVersionIsToldOnceInTheOrderOfAdding(IndexType indexType) {
    play(indexType, 0, GATE_SEEDS);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("nightly")
  void eachVersionIsToldOnceInTheOrderOfAddingWithMoreSeeds(IndexType indexType) {
    play(indexType, GATE_SEEDS, SEEDS);
  }

  private static void play(IndexType indexType, long from, long end) {
    for (long seed = from; seed < end; seed++) {
      try (VersionedCacheFixture versionedCacheFixture = new VersionedCacheFixture(seed)) {
        play(versionedCacheFixture, indexType, seed);
      }
    }
  }

  private static void judge(String key, Truth truth, DeliveryChecker tally, String what) {
    List<Optional<NewVersion<String, String, Long>>> all = tally.told(key);
    assertThat(all).as(what).hasSameSizeAs(truth.versions);
    for (int i = 0; i < all.size(); i++) {
      long sequence = i + 1;
      if (all.get(i).isEmpty()) {
        assertThat(truth.removed).as(what).contains(sequence);
      } else {
        Optional<String> value = Optional.of(truth.values.get(i));
        assertThat(all.get(i).get())
            .as(what)
            .isEqualTo(new NewVersion<>(key, truth.versions.get(i), value, sequence));
      }
    }
  }

  private static void play(
      VersionedCacheFixture versionedCacheFixture, IndexType indexType, long seed) {
    String what = indexType + " seed " + seed;
    Random random = new Random(seed);
    VersionedCache<String, String, Long> writer = process(versionedCacheFixture, indexType);
    Map<String, Truth> truths = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      truths.put("key" + i, new Truth());
    }
    DeliveryChecker tally = new DeliveryChecker();
    Subscription subscription =
        start(
            forgetful(versionedCacheFixture, indexType, seed),
            truths.keySet(),
            SubscriptionPosition.BEGINNING,
            random,
            seed,
            tally);
    versionedCacheFixture.store.faults(5);
    for (int step = 0; step < STEPS; step++) {
      String key = "key" + random.nextInt(KEYS);
      step(writer, key, truths.get(key), random, "value " + step);
      if (random.nextInt(12) == 0) {
        subscription.close();
        subscription.ended().toCompletableFuture().join();
        SubscriptionPosition position = SubscriptionPosition.of(subscription.position().bytes());
        VersionedCache<String, String, Long> next =
            forgetful(versionedCacheFixture, indexType, random.nextLong());
        subscription = start(next, truths.keySet(), position, random, seed, tally);
      }
    }
    int due = truths.values().stream().mapToInt(t -> t.versions.size()).sum();
    await(what + ": versions told: " + due)
        .pollInterval(10, MILLISECONDS)
        .atMost(120, SECONDS)
        .until(() -> tally.count() >= due);
    versionedCacheFixture.store.faults(0);
    subscription.close();
    subscription.ended().toCompletableFuture().join();
    FailureArtifacts.judge(
        () -> {
          assertThat(tally.faults()).as(what).isEmpty();
          truths.forEach((key, truth) -> judge(key, truth, tally, what + " " + key));
        },
        () -> records(truths, tally),
        SubscriptionModelTest.class,
        indexType + "-" + seed);
  }

  private static String records(Map<String, Truth> truths, DeliveryChecker tally) {
    StringBuilder text = new StringBuilder("faults: " + tally.faults() + "\n");
    truths.forEach(
        (key, truth) -> {
          text.append("%s: removed %s%n".formatted(key, truth.removed));
          for (int i = 0; i < truth.versions.size(); i++) {
            text.append(
                "%s: added %d, version %d, %s%n"
                    .formatted(key, i + 1, truth.versions.get(i), truth.values.get(i)));
          }
          tally.told(key).forEach(each -> text.append("%s: delivered %s%n".formatted(key, each)));
        });
    return text.toString();
  }

  private static VersionedCache<String, String, Long> process(
      VersionedCacheFixture versionedCacheFixture, IndexType indexType) {
    return versionedCacheFixture.process(
        new Timestamps(() -> 0), VersionedCacheFixture.small(indexType));
  }

  /** A process that receives about every third event. */
  private static VersionedCache<String, String, Long> forgetful(
      VersionedCacheFixture versionedCacheFixture, IndexType indexType, long seed) {
    Random random = new Random(seed);
    versionedCacheFixture.view =
        store ->
            new UnresponsiveStore(store) {
              @Override
              public Optional<AutoCloseable> watch(Consumer<Change> listener) {
                return super.watch(
                    change -> {
                      if (random.nextInt(3) == 0) {
                        listener.accept(change);
                      }
                    });
              }
            };
    VersionedCache<String, String, Long> process = process(versionedCacheFixture, indexType);
    versionedCacheFixture.view = store -> store;
    return process;
  }

  private static Subscription start(
      VersionedCache<String, String, Long> cache,
      Set<String> keys,
      SubscriptionPosition position,
      Random random,
      long seed,
      DeliveryChecker tally) {
    SubscriptionBuilder<String, String, Long> listening =
        cache.listen().from(position).page(1 + random.nextInt(4));
    listening.every(Duration.ofMillis(30)).keysEvery(Duration.ofMillis(30));
    return (seed % 2 == 0 ? listening : listening.keys(keys)).start(tally);
  }

  private static void step(
      VersionedCache<String, String, Long> cache,
      String key,
      Truth truth,
      Random random,
      String value) {
    int kind = random.nextInt(100);
    long version = 1 + random.nextInt(400);
    if (kind < 50) {
      truth.added(cache.add(key, value), value);
    } else if (kind < 85) {
      try {
        cache.put(key, value, version);
        truth.added(version, value);
      } catch (VersioningException e) {
        assertThat(e).isNotInstanceOf(VersioningException.StoreUnavailable.class);
      }
    } else if (kind < 90) {
      bulk(cache, key, truth, value);
    } else if (kind < 97) {
      cache.compact(key, version);
      truth.only(cache.versions(key, null, null, Integer.MAX_VALUE, false));
    } else {
      cache.purge(key);
      truth.only(List.of());
    }
  }

  private static void bulk(
      VersionedCache<String, String, Long> cache, String key, Truth truth, String value) {
    long above = cache.add(key, value);
    truth.added(above, value);
    List<Versioned<Long, String>> all = new ArrayList<>();
    for (int i = 1; i <= 9; i++) {
      all.add(new Versioned<>(above + i, Optional.of(value + "/" + i)));
    }
    cache.addAll(key, all);
    all.forEach(v -> truth.added(v.version(), v.value().get()));
  }
}
