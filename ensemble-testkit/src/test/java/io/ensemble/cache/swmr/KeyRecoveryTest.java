package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A key that is recovered at the second or third try does not end the walk over all keys. */
class KeyRecoveryTest {

  private static final WriterId SELF = new WriterId(1, 2);
  private static final Bytes KEY = Bytes.of((byte) 7);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private int tries;

  private record Handle(String site) implements StoreHandle {

    @Override
    public Optional<SiteStore> current() {
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(
          (SiteStore)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {SiteStore.class},
                  (proxy, method, given) -> new OneKey()));
    }
  }

  private static final class OneKey implements SiteStore.Scan {
    private final Queue<List<Item>> batches =
        new ArrayDeque<>(List.of(List.of(new Item(KEY, KEY)), List.of()));

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      return CompletableFuture.completedFuture(batches.remove());
    }

    @Override
    public void close() {}
  }

  private boolean recoveredAll(int triesThatFail) {
    OpenCache cache =
        new OpenCache(
            CacheDefinition.of("c", Mode.SWMR).sites("a").build(),
            List.of(new Handle("a")),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            SELF,
            CacheMetrics.NONE);
    CompletableFuture<Boolean> all =
        new KeyRecovery(
                cache,
                new Leases(300_000_000, 10_000_000),
                key -> CompletableFuture.completedFuture(++tries > triesThatFail),
                () -> false)
            .run(Term.first("a", SELF), 1)
            .toCompletableFuture();
    scheduler.run(all::isDone, Duration.ofSeconds(1), 1_000);
    return all.join();
  }

  @Test
  void aKeyIsTriedAgain() {
    assertThat(recoveredAll(2)).isTrue();
    assertThat(tries).isEqualTo(3);
  }

  @Test
  void aKeyThatIsNotRecoveredEndsTheWalkAtLast() {
    assertThat(recoveredAll(100)).isFalse();
    assertThat(tries).isEqualTo(3);
  }
}
