package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sweep handles a bounded number of keys, and one batch of them at a time. */
@Timeout(90)
class TombstoneSweeperTest {

  private static final int KEYS = 1_000;
  private static final int BATCH = 64;

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger mostUnderWay = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();
  private int met;

  @AfterEach
  void close() {
    scheduler.close();
  }

  /** A site that holds only expired values. */
  private SiteStore store() {
    return (SiteStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {SiteStore.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "scan" -> scan((int) arguments[0]);
                  case "site" -> "lyon";
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private SiteStore.Scan scan(int batch) {
    met = 0;
    return new SiteStore.Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < batch && met < KEYS; i++) {
          items.add(expired(met++));
        }
        return CompletableFuture.completedFuture(items);
      }

      @Override
      public void close() {}
    };
  }

  private static Item expired(int number) {
    Ballot ballot = new Ballot(number + 1, Kind.CLASSIC, new WriterId(1, 2));
    Content<Payload> content =
        new Content<>(1, List.of(ballot), new Payload(Bytes.of((byte) 1), 1));
    Bytes key = Bytes.of(ByteBuffer.allocate(4).putInt(number).array());
    return new Item(key, CellCodec.encode(new Cell<>(ballot, ballot, ballot, content)));
  }

  private CompletionStage<Boolean> end(Bytes key, Deadline deadline) {
    int number = begun.incrementAndGet();
    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    scheduler.after(
        1_000_000,
        () -> {
          underWay.decrementAndGet();
          if (number % 10 == 0) {
            ended.completeExceptionally(new IllegalStateException("one in ten fails"));
          } else {
            ended.complete(true);
          }
        });
    return ended;
  }

  private SweepResult sweep(int mostKeys) throws Exception {
    return sweeper(scheduler, this::end, mostKeys)
        .sweep(Deadline.after(Duration.ofSeconds(20), scheduler))
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
  }

  private TombstoneSweeper sweeper(
      Scheduler runs, BiFunction<Bytes, Deadline, CompletionStage<Boolean>> end, int mostKeys) {
    SiteStore store = store();
    StoreHandle handle =
        new StoreHandle() {
          @Override
          public String site() {
            return "lyon";
          }

          @Override
          public Optional<SiteStore> current() {
            return Optional.of(store);
          }

          @Override
          public CompletionStage<SiteStore> store(Deadline deadline) {
            return CompletableFuture.completedFuture(store);
          }
        };
    EngineContext cache =
        new EngineContext(
            CacheDefinition.of("c", Mode.MWMR).sites("lyon").build(),
            List.of(handle),
            Optional.empty(),
            runs,
            new HybridClock(runs::epochMicros),
            new WriterId(3, 4),
            CacheMetrics.NONE);
    return new TombstoneSweeper(
        cache,
        key -> CompletableFuture.failedFuture(new AssertionError("nothing to settle")),
        end,
        mostKeys);
  }

  @Test
  void aSweepThatHadEnoughOfFailuresIsFollowedSoon() {
    VirtualTimeScheduler manual = new VirtualTimeScheduler();
    BiFunction<Bytes, Deadline, CompletionStage<Boolean>> failing =
        (key, deadline) -> {
          begun.incrementAndGet();
          return CompletableFuture.failedFuture(new IllegalStateException("all fail"));
        };
    try (TombstoneSweeper sweeper = sweeper(manual, failing, 100)) {
      sweeper.start();
      manual.advance(CacheDefinition.of("c", Mode.MWMR).sites("lyon").build().tombstoneGrace());
      assertThat(begun).hasValue(100);

      manual.advance(Duration.ofMinutes(1));

      assertThat(begun).hasValue(200);
    }
  }

  @Test
  void aSweepSeesToSoManyKeysAtMost() throws Exception {
    assertThat(sweep(100)).isEqualTo(new SweepResult(90, 0));

    assertThat(begun).hasValue(100);
    assertThat(met).as("does not walk on for nothing").isEqualTo(2 * BATCH);
  }

  @Test
  void aBatchIsUnderWayAtATimeAndAFailureIsForTheNextSweep() throws Exception {
    assertThat(sweep(Integer.MAX_VALUE)).isEqualTo(new SweepResult(900, 0));

    assertThat(begun).hasValue(KEYS);
    assertThat(mostUnderWay).hasValueLessThanOrEqualTo(BATCH);
    assertThat(mostUnderWay).hasValueGreaterThan(1);
  }
}
