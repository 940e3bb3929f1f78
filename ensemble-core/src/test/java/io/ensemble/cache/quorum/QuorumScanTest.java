package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A scan that is closed while a site opens its store for it. */
class QuorumScanTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final CompletableFuture<SiteStore> opening = new CompletableFuture<>();
  private int openScans;

  private SiteStore.Scan scan() {
    openScans++;
    return new SiteStore.Scan() {
      private boolean closed;

      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return new CompletableFuture<>();
      }

      @Override
      public void close() {
        openScans -= closed ? 0 : 1;
        closed = true;
      }
    };
  }

  private SiteStore store() {
    return (SiteStore)
        Proxy.newProxyInstance(
            SiteStore.class.getClassLoader(),
            new Class<?>[] {SiteStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("scan")) {
                return scan();
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }

  private StoreHandle handle(String site) {
    return new StoreHandle() {
      @Override
      public String site() {
        return site;
      }

      @Override
      public Optional<SiteStore> current() {
        return Optional.empty();
      }

      @Override
      public CompletionStage<SiteStore> store(Deadline deadline) {
        return opening;
      }
    };
  }

  private QuorumScan open() {
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
    CacheEngine unused =
        (CacheEngine)
            Proxy.newProxyInstance(
                CacheEngine.class.getClassLoader(),
                new Class<?>[] {CacheEngine.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    return QuorumScan.ofKeys(unused, cache, 10);
  }

  @Test
  void noScanIsLeftOpenAtASite() {
    QuorumScan scan = open();
    CompletableFuture<List<CacheEngine.EntryScan.Entry>> batch =
        scan.next(Deadline.after(Duration.ofMinutes(1), scheduler)).toCompletableFuture();

    scan.close();
    opening.complete(store());
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(openScans).isZero();
    assertThat(batch).isCompletedWithValue(List.of());
  }

  @Test
  void aScanThatIsNotClosedGoesOn() {
    QuorumScan scan = open();
    CompletableFuture<?> batch =
        scan.next(Deadline.after(Duration.ofMinutes(1), scheduler)).toCompletableFuture();

    opening.complete(store());
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(openScans).isEqualTo(1);
    assertThat(batch).isNotDone();
    scan.close();
    assertThat(openScans).isZero();
  }
}
