package io.ensemble.tree.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JoinedReadsTest {

  private final List<CompletableFuture<Integer>> begun = new ArrayList<>();
  private final JoinedReads<Integer> reads =
      new JoinedReads<>(
          () -> {
            begun.add(new CompletableFuture<>());
            return begun.get(begun.size() - 1);
          });

  private CompletableFuture<Integer> read() {
    return reads.read().toCompletableFuture();
  }

  @Test
  void callersThatComeDuringAReadShareTheNextOne() {
    CompletableFuture<Integer> first = read();
    CompletableFuture<Integer> second = read();
    CompletableFuture<Integer> third = read();
    assertThat(begun).hasSize(1);

    begun.get(0).complete(1);
    assertThat(first).isCompletedWithValue(1);
    assertThat(second).isNotDone();
    assertThat(begun).hasSize(2);
    CompletableFuture<Integer> fourth = read();

    begun.get(1).complete(2);
    assertThat(second).isCompletedWithValue(2);
    assertThat(third).isCompletedWithValue(2);
    assertThat(fourth).isNotDone();

    begun.get(2).complete(3);
    assertThat(fourth).isCompletedWithValue(3);
    assertThat(begun).hasSize(3);
  }

  @Test
  void aFailedReadFailsItsCallersOnly() {
    CompletableFuture<Integer> first = read();
    CompletableFuture<Integer> second = read();

    begun.get(0).completeExceptionally(new IllegalStateException("no"));

    assertThatThrownBy(first::join).hasRootCauseMessage("no");
    begun.get(1).complete(2);
    assertThat(second).isCompletedWithValue(2);
  }
}
