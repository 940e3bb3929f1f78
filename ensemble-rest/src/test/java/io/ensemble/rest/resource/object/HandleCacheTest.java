package io.ensemble.rest.resource.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.tree.TreeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which handles are kept open, and which are closed. */
@Timeout(180)
class HandleCacheTest {

  private final CountDownLatch closed = new CountDownLatch(1);
  private final AutoCloseable handle = closed::countDown;

  @Test
  void oneThatIsDroppedWhileItIsUsedIsClosedWhenItsLastUserLeaves() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 1);
        HandleCache<AutoCloseable> handles =
            new HandleCache<>("handles", "c", 1, blockingTaskPool)) {
      CompletableFuture<Void> using = new CompletableFuture<>();
      CountDownLatch used = new CountDownLatch(1);
      handles.call(
          "a",
          () -> handle,
          one -> {
            used.countDown();
            return using;
          });
      assertThat(used.await(60, TimeUnit.SECONDS)).isTrue();

      handles.drop("a");

      assertThat(closed.getCount()).isEqualTo(1);
      using.complete(null);
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void oneThatIsUsedDoesNotMakeRoomAndOneWhoseUseFailedDoes() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 4);
        HandleCache<AutoCloseable> handles =
            new HandleCache<>("handles", "c", 1, blockingTaskPool)) {
      CompletableFuture<Void> using = new CompletableFuture<>();
      CompletableFuture<Void> user =
          handles.call("a", () -> handle, one -> using).toCompletableFuture();

      assertThat(handles.call("b", () -> () -> {}, one -> using))
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableThat()
          .withCauseInstanceOf(ProblemException.class);
      assertThat(closed.getCount()).isEqualTo(1);
      using.complete(null);
      user.get(60, TimeUnit.SECONDS);
      assertThat(
              handles.<Void>call(
                  "a",
                  () -> handle,
                  one -> {
                    throw new IllegalStateException("broken");
                  }))
          .failsWithin(Duration.ofSeconds(20));

      assertThat(handles.call("b", () -> () -> {}, one -> using))
          .succeedsWithin(Duration.ofSeconds(20));
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anObjectThatDoesNotExistIsLookedForOnce() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 4);
        HandleCache<AutoCloseable> handles =
            new HandleCache<>("handles", "c", 1, blockingTaskPool)) {
      AtomicInteger openings = new AtomicInteger();

      assertThat(
              handles.<Void>call(
                  "a",
                  () -> {
                    openings.incrementAndGet();
                    throw new TreeException.NoSuchTree("a");
                  },
                  one -> CompletableFuture.completedFuture(null)))
          .failsWithin(Duration.ofSeconds(20));
      assertThat(openings).hasValue(1);
    }
  }

  @Test
  void anOpenHandleWhoseObjectIsGoneIsReplacedOnce() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 4);
        HandleCache<AutoCloseable> handles =
            new HandleCache<>("handles", "c", 1, blockingTaskPool)) {
      handles
          .call("a", () -> handle, one -> CompletableFuture.completedFuture(null))
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
      AutoCloseable other = () -> {};

      assertThat(
              handles.<Boolean>call(
                  "a",
                  () -> other,
                  one ->
                      one == other
                          ? CompletableFuture.completedFuture(true)
                          : CompletableFuture.failedFuture(new TreeException.NoSuchTree("a"))))
          .succeedsWithin(Duration.ofSeconds(20))
          .isEqualTo(true);
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }
}
