package io.ensemble.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.DistributedFixture;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.distribution.RepartitionRun;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Collections of caches of each mode, and of distributed caches. */
@Timeout(120)
class CacheEntriesTest extends DistributedFixture {

  private static final int KEYS = 600;

  private static Integer[] numbers() {
    return IntStream.range(0, KEYS).boxed().toArray(Integer[]::new);
  }

  private static <V> List<V> values(EntryCollection<String, V> collection) {
    List<V> all = new ArrayList<>();
    try (CollectionCursor<V> cursor = collection.open((key, value) -> value)) {
      for (Optional<V> next = cursor.next(); next.isPresent(); next = cursor.next()) {
        all.add(next.get());
      }
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aCacheOfEachModeHasEachKeyOnce(Mode mode) {
    onSitesInMemory(
        own -> {
          EnsembleCache<String, Integer> cache =
              own.createCache(definition("c", mode, "a", "b", "c"));
          fill(cache);
          cache.put("gone", -1);
          cache.remove("gone");
          EntryCollection<String, Integer> all = EntryCollection.of(cache);

          assertThat(values(all)).containsExactlyInAnyOrder(numbers());
          assertThat(values(all.withMemory(16, 250, 1 << 20))).containsExactlyInAnyOrder(numbers());
          assertThat(all.parallelReduce((key, value) -> 1, Integer::sum, 2)).contains(KEYS);
          cache.stop();
          assertThatIllegalStateException().isThrownBy(() -> values(all));
        });
  }

  @Test
  @Tag("nightly")
  void anIterationContinuesWhenTheSitesOfTheCacheHaveChanged() {
    onSitesInMemory(
        own -> {
          EnsembleCache<String, Integer> cache =
              own.createCache(definition("c", Mode.MWMR, "a", "b", "c"));
          fill(cache);
          List<Integer> found = new ArrayList<>();
          try (CollectionCursor<Integer> cursor = beginning(cache, found)) {
            // Also in the middle of the passes that follow.
            ChangeRun change = own.alter(definition("c", Mode.MWMR, "b", "c", "d"));
            addRest(cursor, found, 300);
            ended(change.done());
            addRest(cursor, found, KEYS);
          }

          assertThat(found).containsExactlyInAnyOrder(numbers());
        });
  }

  @Test
  void anIterationContinuesWhenThePartsHaveChangedAndASliceDoesNot() {
    onSitesInMemory(
        own -> {
          List.of("p", "q", "r")
              .forEach(part -> own.createCache(definition(part, Mode.MWMR, "a", "b", "c")));
          DistributedDefinition two = DistributedDefinition.of("d", "p", "q");
          EnsembleCache<String, Integer> cache = own.createDistributed(two);
          fill(cache);
          EntryCollection<String, Integer> all = EntryCollection.of(cache);
          CollectionSlice slice = all.slices(1).get(0);
          List<Integer> found = new ArrayList<>();
          try (CollectionCursor<Integer> cursor = beginning(cache, found);
              CollectionCursor<Integer> ofSlice =
                  all.in(slice).withMemory(1, 100, 1 << 20).open((key, value) -> value)) {
            assertThat(ofSlice.next()).isPresent();
            RepartitionRun change = own.parts().alter(two.with("r"));
            addRest(cursor, found, 300);
            ended(change.done());
            addRest(cursor, found, KEYS);
            assertThatExceptionOfType(SlicesOutdatedException.class)
                .isThrownBy(() -> addRest(ofSlice, new ArrayList<>(), KEYS));
          }

          assertThat(found).containsExactlyInAnyOrder(numbers());
        });
  }

  /** A cursor of several passes, in the middle of the first one. */
  private static CollectionCursor<Integer> beginning(
      EnsembleCache<String, Integer> cache, List<Integer> found) {
    CollectionCursor<Integer> cursor =
        EntryCollection.of(cache).withMemory(16, 90, 1 << 20).open((key, value) -> value);
    addRest(cursor, found, 50);
    return cursor;
  }

  private static void addRest(CollectionCursor<Integer> cursor, List<Integer> found, int until) {
    Optional<Integer> next = Optional.of(0);
    while (next.isPresent() && found.size() < until) {
      next = cursor.next();
      next.ifPresent(found::add);
    }
    if (found.size() >= KEYS) {
      assertThat(cursor.next()).isEmpty();
    }
  }

  private static void ended(CompletionStage<?> change) {
    assertThat(change).succeedsWithin(Duration.ofSeconds(60));
  }

  private static CacheDefinition definition(String name, Mode mode, String... sites) {
    return CacheDefinition.of(name, mode).sites(sites).deadline(Duration.ofSeconds(20)).build();
  }

  private static void fill(EnsembleCache<String, Integer> cache) {
    for (int i = 0; i < KEYS; i++) {
      cache.put("k" + i, i);
    }
  }

  private static void onSitesInMemory(Consumer<EnsembleCacheManager> test) {
    try (ThreadScheduler threads = new ThreadScheduler(2)) {
      EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().scheduler(threads);
      List.of("a", "b", "c", "d").forEach(site -> builder.site(new MapSite(site, threads)));
      try (EnsembleCacheManager own = builder.build()) {
        test.accept(own);
      }
    }
  }

  @Test
  void aDistributedCacheHasEachKeyOnceAsAWholeAndInSlices() {
    DistributedEnsembleCache<String, Integer> cache = filled();
    // Written to a part that is not its own: reads of the whole do not find it.
    String stray = cache.locate("stray").definition().name().equals("p") ? "q" : "p";
    manager.<String, Integer>getCache(stray).put("stray", -1);
    EntryCollection<String, Integer> all = EntryCollection.of(cache);

    assertThat(values(all)).containsExactlyInAnyOrder(numbers());
    for (int wanted : List.of(1, 3, 7)) {
      List<CollectionSlice> slices = all.slices(wanted);
      assertThat(slices).hasSize(wanted <= 3 ? 3 : 9);
      assertThat(slices.stream().flatMap(slice -> values(all.in(slice)).stream()))
          .containsExactlyInAnyOrder(numbers());
    }
  }

  @Test
  void aSliceOfAnotherGenerationIsRefused() {
    EntryCollection<String, Integer> all = EntryCollection.of(filled());
    CollectionSlice slice = all.slices(1).get(0);
    CollectionSlice other = new CollectionSlice(0, slice.generation() + 1, 0, 1);
    CollectionSlice beyond = new CollectionSlice(3, slice.generation(), 0, 1);

    for (CollectionSlice bad : List.of(other, beyond)) {
      assertThatExceptionOfType(SlicesOutdatedException.class)
          .isThrownBy(() -> values(all.in(bad)))
          .withMessageContaining("list them again");
    }
  }

  @Test
  void aCacheThatWasCreatedAgainHasOtherPositions() {
    EnsembleCache<String, Integer> first = part("x", "a");
    CollectionCursor<Integer> cursor = EntryCollection.of(first).open((key, value) -> value);
    String position = cursor.position();
    manager.deleteCache("x");
    EnsembleCache<String, Integer> second = part("x", "a");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EntryCollection.of(second).from(position).open())
        .withMessageContaining("same cache");
  }

  private DistributedEnsembleCache<String, Integer> filled() {
    DistributedEnsembleCache<String, Integer> cache =
        distributed(DistributedDefinition.of("d", "p", "q", "r"));
    fill(cache);
    return cache;
  }
}
