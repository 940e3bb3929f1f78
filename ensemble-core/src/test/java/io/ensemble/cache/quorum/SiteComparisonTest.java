package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The site that a failed comparison names. */
class SiteComparisonTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final Map<String, Reason> failing = new HashMap<>();
  private final Set<Bytes> brought = new HashSet<>();
  private Function<Bytes, CompletionStage<?>> bring =
      key -> {
        brought.add(key);
        return CompletableFuture.completedFuture(null);
      };

  /** A handle of a store with one key, which fails on request. */
  private StoreHandle handle(String site) {
    SiteStore store =
        (SiteStore)
            Proxy.newProxyInstance(
                SiteStore.class.getClassLoader(),
                new Class<?>[] {SiteStore.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "scan" -> scan(site);
                      case "read" -> answer(site, Optional.<StoredEntry>empty());
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    return (StoreHandle)
        Proxy.newProxyInstance(
            StoreHandle.class.getClassLoader(),
            new Class<?>[] {StoreHandle.class},
            (proxy, method, arguments) ->
                method.getName().equals("site") ? site : CompletableFuture.completedFuture(store));
  }

  private <T> CompletionStage<T> answer(String site, T value) {
    Reason why = failing.get(site);
    return why == null
        ? CompletableFuture.completedFuture(value)
        : CompletableFuture.failedFuture(new SiteException(site, why, "told to fail"));
  }

  private SiteStore.Scan scan(String site) {
    List<List<Item>> left = new ArrayList<>(List.of(List.of(new Item(KEY, KEY)), List.of()));
    return new SiteStore.Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return answer(site, left.remove(0));
      }

      @Override
      public void close() {}
    };
  }

  /** Compares {@code a}. */
  private CompletableFuture<Long> compare() {
    CacheDefinition definition = CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build();
    EngineContext cache =
        new EngineContext(
            definition,
            definition.sites().stream().map(this::handle).toList(),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            new WriterId(0, 1),
            CacheMetrics.NONE);
    Deadline deadline = Deadline.after(Duration.ofMinutes(1), scheduler);
    CompletableFuture<Long> done =
        new SiteComparison(
                cache,
                0,
                1_000,
                deadline,
                (item, entry) -> entry.isEmpty(),
                key -> bring.apply(key))
            .run()
            .toCompletableFuture();
    scheduler.advance(Duration.ofSeconds(30));
    return done;
  }

  @Test
  void keysThatAreBehindAreBrought() {
    assertThat(compare()).isCompletedWithValue(1L);
    assertThat(brought).containsExactly(KEY);
  }

  @Test
  void theSiteThatIsComparedIsNamedWhenItIsTheOneThatFails() {
    failing.put("a", Reason.STORE_LOST);

    assertThat(compare())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(SiteException.class)
        .withMessageContaining("site=a");
  }

  @Test
  void anotherSiteThatFailsIsNamedAndTheNextOneTried() {
    failing.put("b", Reason.STORE_LOST);
    assertThat(compare()).isCompletedWithValue(1L);
    failing.put("c", Reason.STORE_LOST);

    assertThat(compare())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(QuorumUnavailableException.class)
        .withMessageContaining("b");
  }

  @Test
  void aKeyThatCannotBeBroughtIsNoOthersFault() {
    bring = key -> CompletableFuture.failedFuture(new IllegalStateException("cannot be brought"));

    assertThat(compare())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("cannot be brought");
  }
}
