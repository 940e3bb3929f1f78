package io.ensemble.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls are repeated, and writes are in flight, up to their bounds. */
class RestoreBoundsTest {

  private static final QuorumFailure FAILURE =
      new QuorumFailure(2, 3, Set.of("lyon"), Map.of("oslo", "down", "rome", "down"));

  private static RuntimeException temporary(int call) {
    return call % 2 == 0
        ? new UnknownOutcomeException("c", FAILURE)
        : new QuorumUnavailableException("c", FAILURE);
  }

  @Test
  void aCallIsRepeatedUntilItSucceedsOrTheBoundIsReached() {
    for (int failures = 0; failures <= RepeatedCall.ATTEMPTS; failures++) {
      int failing = failures;
      AtomicInteger calls = new AtomicInteger();
      CompletableFuture<String> result =
          RepeatedCall.of(
                  () ->
                      calls.incrementAndGet() <= failing
                          ? CompletableFuture.<String>failedFuture(temporary(calls.get()))
                          : CompletableFuture.completedFuture("done"))
              .toCompletableFuture();

      if (failures < RepeatedCall.ATTEMPTS) {
        assertThat(RepeatedCall.await(result)).isEqualTo("done");
        assertThat(calls).hasValue(failures + 1);
      } else {
        assertThat(result).isCompletedExceptionally();
        assertThat(calls).hasValue(RepeatedCall.ATTEMPTS);
      }
    }
  }

  @Test
  void anErrorOfAnotherKindIsNotRepeated() {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<Object> result =
        RepeatedCall.of(
                () -> {
                  calls.incrementAndGet();
                  return CompletableFuture.failedFuture(new IllegalStateException("closed"));
                })
            .toCompletableFuture();

    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> RepeatedCall.await(result))
        .withMessage("closed");
    assertThat(calls).hasValue(1);
  }

  @Test
  void writesInFlightAreBoundedInNumber() {
    WriteWindow window = new WriteWindow();
    for (int i = 0; i < WriteWindow.MOST_WRITES; i++) {
      window.awaitRoom(1);
      window.add(CompletableFuture.completedFuture(null), 1);
    }
    assertThat(window.size()).isEqualTo(WriteWindow.MOST_WRITES);

    window.awaitRoom(1);

    assertThat(window.size()).isEqualTo(WriteWindow.MOST_WRITES - 1);
  }

  @Test
  void writesInFlightAreBoundedInBytes() {
    WriteWindow window = new WriteWindow();
    window.awaitRoom(2 * WriteWindow.MOST_BYTES); // A single write may be larger.
    window.add(CompletableFuture.completedFuture(null), WriteWindow.MOST_BYTES - 1);
    window.awaitRoom(1);
    assertThat(window.size()).isEqualTo(1);

    window.awaitRoom(2);

    assertThat(window.size()).isZero();
  }

  @Test
  void theFailureOfAWriteIsThrownByALaterCall() {
    WriteWindow window = new WriteWindow();
    window.add(CompletableFuture.failedFuture(new IllegalStateException("failed")), 1);

    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(window::awaitAll);
    assertThat(window.size()).isZero();
  }
}
