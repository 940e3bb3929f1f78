package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Permissions;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.RequestHead;
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

/** Threads and places that all share. */
@Timeout(180)
class WorkersTest {

  private static Call of(String name) {
    return new Call(
        new RequestHead("GET", "/", Map.of(), Map.of(), Map.of(), false, "", List.of()),
        new Caller(name, Permissions.ALL),
        new byte[0]);
  }

  @Test
  void oneCallerHasAQuarterAndOthersHaveTheRest() throws Exception {
    try (Workers workers = new Workers(2, 6)) {
      CompletableFuture<Reply> slow = new CompletableFuture<>();
      List<CompletableFuture<Reply>> mine = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        mine.add(workers.reply(of("greedy"), slow::join).toCompletableFuture());
      }

      assertThatThrownBy(() -> workers.reply(of("greedy"), slow::join))
          .isInstanceOf(ProblemException.class);
      CompletableFuture<Reply> other =
          workers.reply(of("other"), Reply::noContent).toCompletableFuture();
      slow.complete(Reply.noContent());

      for (CompletableFuture<Reply> one : mine) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertThat(other.get(60, TimeUnit.SECONDS).status()).isEqualTo(204);
      assertThat(
              workers
                  .reply(of("greedy"), Reply::noContent)
                  .toCompletableFuture()
                  .get(60, TimeUnit.SECONDS)
                  .status())
          .isEqualTo(204);
    }
  }

  /** Where failures or a full pool kept places, nobody who met some could ever ask again. */
  @Test
  void aPlaceIsFreeAgainHoweverTheWorkEnds() throws Exception {
    try (Workers workers = new Workers(1, 3)) {
      for (int i = 0; i < 3; i++) {
        CompletableFuture<Reply> failing =
            workers
                .reply(
                    of("one"),
                    () -> {
                      throw new IllegalStateException("broken");
                    })
                .toCompletableFuture();
        assertThat(failing).failsWithin(Duration.ofSeconds(20));
      }
      CompletableFuture<Reply> slow = new CompletableFuture<>();
      List<CompletableFuture<Reply>> others = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(1);
      for (int i = 0; i < 4; i++) {
        others.add(
            workers
                .reply(
                    of("other" + i),
                    () -> {
                      begun.countDown();
                      return slow.join();
                    })
                .toCompletableFuture());
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue(); // It leaves its place to others.
      }
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> workers.reply(of("one"), Reply::noContent))
            .isInstanceOf(RejectedExecutionException.class);
      }
      slow.complete(Reply.noContent());
      for (CompletableFuture<Reply> one : others) {
        one.get(60, TimeUnit.SECONDS);
      }

      assertThat(workers.reply(of("one"), Reply::noContent)).succeedsWithin(Duration.ofSeconds(20));
    }
  }
}
