package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a walk over a store begins, goes on and ends. */
class StoreWalkTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final Deque<CompletableFuture<List<Item>>> batches = new ArrayDeque<>();
  private final List<Item> met = new ArrayList<>();
  private final AtomicInteger closed = new AtomicInteger();

  private final Scan scan =
      new Scan() {
        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          return batches.remove();
        }

        @Override
        public void close() {
          closed.incrementAndGet();
        }
      };

  @AfterEach
  void stop() {
    scheduler.close();
  }

  private static SiteStore store(Function<Integer, Scan> scans) {
    return (SiteStore)
        Proxy.newProxyInstance(
            StoreWalkTest.class.getClassLoader(),
            new Class<?>[] {SiteStore.class},
            (proxy, method, arguments) -> scans.apply((Integer) arguments[0]));
  }

  private static Item item(int number) {
    Bytes bytes = Bytes.of(new byte[] {(byte) number});
    return new Item(bytes, bytes);
  }

  private void batch(int... numbers) {
    List<Item> items = new ArrayList<>();
    for (int number : numbers) {
      items.add(item(number));
    }
    batches.add(CompletableFuture.completedFuture(items));
  }

  private Throwable walked(SiteStore store, Function<List<Item>, CompletionStage<Boolean>> each)
      throws Exception {
    return StoreWalk.over(
            scheduler,
            store,
            2,
            open -> open.next(new Deadline(0)),
            items -> {
              met.addAll(items);
              return each.apply(items);
            })
        .handle((done, failure) -> failure)
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }

  private static CompletionStage<Boolean> goOn(List<Item> items) {
    return CompletableFuture.completedFuture(true);
  }

  @Test
  void everyEntryIsMetAndTheScanIsClosed() throws Exception {
    batch(1, 2);
    batch(3);
    batch();

    assertThat(walked(store(size -> scan), StoreWalkTest::goOn)).isNull();

    assertThat(met).containsExactly(item(1), item(2), item(3));
    assertThat(closed).hasValue(1);
  }

  @Test
  void itEndsWhereItIsToldTo() throws Exception {
    batch(1, 2);

    assertThat(walked(store(size -> scan), items -> CompletableFuture.completedFuture(false)))
        .isNull();

    assertThat(met).hasSize(2);
    assertThat(closed).hasValue(1);
  }

  @Test
  void whatFailsEndsItAndTheScanIsClosed() throws Exception {
    batch(1, 2);
    batches.add(CompletableFuture.failedFuture(new IllegalStateException("no answer")));

    assertThat(walked(store(size -> scan), StoreWalkTest::goOn)).hasMessageContaining("no answer");

    assertThat(closed).hasValue(1);
  }

  @Test
  void whatIsThrownFailsIt() throws Exception {
    batch(1);
    assertThat(
            walked(
                store(size -> scan),
                items -> {
                  throw new IllegalStateException("thrown");
                }))
        .hasMessageContaining("thrown");
    assertThat(closed).hasValue(1);

    assertThat(
            walked(
                store(
                    size -> {
                      throw new IllegalStateException("no scan of " + size);
                    }),
                StoreWalkTest::goOn))
        .hasMessage("no scan of 2");
  }

  /** The stack does not grow with the number of batches. */
  @Test
  void itIsFlatHoweverLong() throws Exception {
    for (int i = 0; i < 100_000; i++) {
      batch(i);
    }
    batch();

    assertThat(walked(store(size -> scan), StoreWalkTest::goOn)).isNull();

    assertThat(met).hasSize(100_000);
  }
}
