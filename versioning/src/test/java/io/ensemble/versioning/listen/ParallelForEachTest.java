package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelForEachTest {

  private static final Executor HERE = Runnable::run;

  private final List<String> begun = new ArrayList<>();
  private final List<CompletableFuture<Void>> open = new ArrayList<>();

  private CompletionStage<Void> opened(String name) {
    begun.add(name);
    CompletableFuture<Void> own = new CompletableFuture<>();
    open.add(own);
    return own;
  }

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "name" + i).toList();
  }

  @Test
  void sixteenAreUnderWayAtATime() {
    CompletionStage<Void> end = ParallelForEach.each(names(40), this::opened, HERE);
    assertThat(begun).hasSize(ParallelForEach.WIDTH);

    for (int i = 0; i < 40; i++) {
      assertThat(end.toCompletableFuture()).isNotDone();
      open.get(i).complete(null);
      assertThat(begun).hasSize(Math.min(40, ParallelForEach.WIDTH + i + 1));
    }

    assertThat(end.toCompletableFuture()).isCompleted();
    assertThat(begun).isEqualTo(names(40));
  }

  @Test
  void theFirstFailureEndsItAndNothingElseIsBegun() {
    CompletionStage<Void> end = ParallelForEach.each(names(40), this::opened, HERE);

    open.get(3).completeExceptionally(new IllegalStateException("no"));
    open.get(4).complete(null);

    assertThatThrownBy(() -> end.toCompletableFuture().join()).hasRootCauseMessage("no");
    assertThat(begun).hasSize(ParallelForEach.WIDTH);
  }

  @Test
  void whatIsThrownIsAFailure() {
    CompletionStage<Void> end =
        ParallelForEach.each(
            names(2),
            name -> {
              throw new IllegalStateException("no");
            },
            HERE);

    assertThatThrownBy(() -> end.toCompletableFuture().join()).hasRootCauseMessage("no");
  }

  @Test
  void ofNothingItEndsAtOnce() {
    assertThat(ParallelForEach.each(List.of(), this::opened, HERE).toCompletableFuture())
        .isCompleted();
  }
}
