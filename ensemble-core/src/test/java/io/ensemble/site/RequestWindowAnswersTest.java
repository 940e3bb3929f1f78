package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Which thread handles an answer. */
class RequestWindowAnswersTest extends RequestWindowFixture {

  private CompletableFuture<String> submit() {
    return submit(100);
  }

  @Test
  void anAnswerIsHandledWhereItsOwnSubmitterWantedItAndItsPlaceIsFreeAtOnce() {
    window = window(1, 3);
    List<Runnable> first = new ArrayList<>();
    List<Runnable> second = new ArrayList<>();
    scheduler.answers = first::add;
    CompletableFuture<String> one = submit();
    scheduler.answers = second::add;
    CompletableFuture<String> two = submit();

    sent.get(0).complete("a");
    assertThat(one).isNotDone();
    assertThat(sent).hasSize(2);
    sent.get(1).completeExceptionally(new IllegalStateException("broken"));
    assertThat(two).isNotDone();

    assertThat(first).hasSize(1);
    first.get(0).run();
    assertThat(one).isCompletedWithValue("a");
    assertThat(second).hasSize(1);
    second.get(0).run();
    assertThat(two).isCompletedExceptionally();
  }

  @Test
  void whereNobodyTakesAnswersTheyAreHandledAllTheSame() {
    scheduler.answers =
        task -> {
          throw new RejectedExecutionException("ended");
        };
    CompletableFuture<String> one = submit();

    sent.get(0).complete("a");

    assertThat(one).isCompletedWithValue("a");
  }
}
