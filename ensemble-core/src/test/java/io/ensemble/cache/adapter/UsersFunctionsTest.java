package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An exception of a user's function reaches the caller as a result would, through the engine. */
@Timeout(60)
class UsersFunctionsTest extends CacheAdapterFixture {

  static Stream<Throwable> anything() {
    return Stream.of(
        new IllegalStateException("unmet"),
        new AssertionError("unmet"),
        new InterruptedException("thrown undeclared"));
  }

  @ParameterizedTest
  @MethodSource("anything")
  void anEngineIsToldToWriteNothingAndTheCallerWhatWasThrown(Throwable thrown) {
    cache.put("k", "v");

    assertThatThrownBy(
            () ->
                cache
                    .async()
                    .compute(
                        "k",
                        (key, value) -> UsersFunctionsTest.<RuntimeException>sneaky(thrown),
                        Duration.ZERO)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isSameAs(thrown);
    assertThat(engine.thrown).isEmpty();
    assertThat(cache.get("k")).isEqualTo("v");
  }

  /** The engine could not confirm the value that the function saw, so its exception is dropped. */
  @Test
  void whatIsThrownIsNotToldWhereTheEngineDoesNotKnow() {
    engine.nextOutcomes.add(new WriteOutcome.Refused<>(ALONE));

    assertThatThrownBy(
            () ->
                cache.compute(
                    "k",
                    (key, value) -> {
                      throw new IllegalStateException("unmet");
                    }))
        .isInstanceOf(QuorumUnavailableException.class);
  }

  /** The engine then reads what the next write needs together with this one. */
  @Test
  void onlyACompareAndExchangeTellsTheEngineThatItsCallerWillWriteAgain() throws Exception {
    cache.put("k", "1");
    cache.replace("k", "1", "2");
    cache.merge("k", "3", (old, added) -> added);
    assertThat(engine.hintedUpdates).hasValue(0);

    assertThat(cache.compareAndExchangeAsync("k", "3", "4").get(20, TimeUnit.SECONDS))
        .isEqualTo("3");

    assertThat(engine.hintedUpdates).hasValue(1);
    assertThat(cache.get("k")).isEqualTo("4");
  }

  @SuppressWarnings("unchecked") // compilers of other languages allow this
  private static <T extends Throwable> Object sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
