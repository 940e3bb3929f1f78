package io.ensemble.rest.resource.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.Permissions;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads and places that all callers share. */
@Timeout(180)
class BlockingTaskPoolTest {

  private static AuthorizedRequest of(String name) {
    return of("listCaches", name);
  }

  private static AuthorizedRequest of(String operation, String name) {
    return new AuthorizedRequest(
        operation,
        new RequestHead("GET", "/", Map.of(), Map.of(), Map.of(), false, "", List.of()),
        new RestCaller(name, Permissions.ALL),
        new byte[0]);
  }

  @Test
  void oneCallerHasAQuarterAndOthersHaveTheRest() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(2, 6)) {
      CompletableFuture<RestResponse> slow = new CompletableFuture<>();
      List<CompletableFuture<RestResponse>> mine = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        mine.add(blockingTaskPool.reply(of("greedy"), slow::join).toCompletableFuture());
      }

      assertThatThrownBy(() -> blockingTaskPool.reply(of("greedy"), slow::join))
          .isInstanceOf(ProblemException.class);
      CompletableFuture<RestResponse> other =
          blockingTaskPool.reply(of("other"), RestResponse::noContent).toCompletableFuture();
      slow.complete(RestResponse.noContent());

      for (CompletableFuture<RestResponse> one : mine) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertThat(other.get(60, TimeUnit.SECONDS).status()).isEqualTo(204);
      assertThat(
              blockingTaskPool
                  .reply(of("greedy"), RestResponse::noContent)
                  .toCompletableFuture()
                  .get(60, TimeUnit.SECONDS)
                  .status())
          .isEqualTo(204);
    }
  }

  @Test
  void slowRequestsOfAKindDelayNoOtherKind() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(2, 6)) {
      CompletableFuture<RestResponse> slow = new CompletableFuture<>();
      for (int i = 0; i < 8; i++) {
        blockingTaskPool.reply(of("slow", "caller" + i), slow::join);
      }

      assertThat(blockingTaskPool.reply(of("quick", "caller0"), RestResponse::noContent))
          .succeedsWithin(Duration.ofSeconds(60));
      slow.complete(RestResponse.noContent());
    }
  }

  @Test
  void anErrorOfATaskDelaysNoOtherTask() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 2)) {
      CompletableFuture<Void> fail = new CompletableFuture<>();
      CountDownLatch ended = new CountDownLatch(2);
      blockingTaskPool.run(
          "kind",
          () -> {
            fail.join();
            throw new AssertionError("as the test requires");
          });
      blockingTaskPool.run("kind", ended::countDown);

      fail.complete(null);
      blockingTaskPool.run("kind", ended::countDown);

      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void oneCallerLeavesHalfOfTheThreadsToOthers() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(4, 12)) {
      CompletableFuture<RestResponse> slow = new CompletableFuture<>();
      List<CompletableFuture<RestResponse>> mine = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        mine.add(blockingTaskPool.reply(of("greedy"), slow::join).toCompletableFuture());
      }

      assertThat(blockingTaskPool.reply(of("other"), RestResponse::noContent))
          .succeedsWithin(Duration.ofSeconds(60));
      slow.complete(RestResponse.noContent());

      for (CompletableFuture<RestResponse> one : mine) {
        one.get(60, TimeUnit.SECONDS); // Also those that waited for a thread of their caller.
      }
    }
  }

  /** Otherwise failures or a full pool would use places up for ever. */
  @Test
  void aPlaceIsFreeAgainHoweverTheWorkEnds() throws Exception {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 3)) {
      for (int i = 0; i < 3; i++) {
        CompletableFuture<RestResponse> failing =
            blockingTaskPool
                .reply(
                    of("one"),
                    () -> {
                      throw new IllegalStateException("broken");
                    })
                .toCompletableFuture();
        assertThat(failing).failsWithin(Duration.ofSeconds(20));
      }
      CompletableFuture<RestResponse> slow = new CompletableFuture<>();
      List<CompletableFuture<RestResponse>> others = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(1);
      for (int i = 0; i < 4; i++) {
        others.add(
            blockingTaskPool
                .reply(
                    of("other" + i),
                    () -> {
                      begun.countDown();
                      return slow.join();
                    })
                .toCompletableFuture());
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue(); // Its place is free again.
      }
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> blockingTaskPool.reply(of("one"), RestResponse::noContent))
            .isInstanceOf(RejectedExecutionException.class);
      }
      slow.complete(RestResponse.noContent());
      for (CompletableFuture<RestResponse> one : others) {
        one.get(60, TimeUnit.SECONDS);
      }

      assertThat(blockingTaskPool.reply(of("one"), RestResponse::noContent))
          .succeedsWithin(Duration.ofSeconds(20));
    }
  }
}
