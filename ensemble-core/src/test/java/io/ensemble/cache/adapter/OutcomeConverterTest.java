package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleException;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.WriteOutcome.Refused;
import io.ensemble.WriteOutcome.Superseded;
import io.ensemble.WriteOutcome.Unknown;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.BoundedConcurrency;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How calls end in the blocking and in the asynchronous API. */
class OutcomeConverterTest extends CacheAdapterFixture {

  @Test
  void theAsynchronousFaceTellsOutcomesByType() throws Exception {
    engine.nextOutcomes.add(new Refused<>(ALONE));
    engine.nextOutcomes.add(new Unknown<>(ALONE));
    engine.nextOutcomes.add(new Superseded<>(Stamp.NONE));

    assertThat(got(cache.async().put("k", 1))).isEqualTo(new Refused<>(ALONE));
    assertThat(got(cache.async().remove("k"))).isEqualTo(new Unknown<>(ALONE));
    assertThat(got(cache.async().merge("k", 1, (a, b) -> b, Duration.ZERO)))
        .isEqualTo(new Superseded<>(Stamp.NONE));
    assertThat(got(cache.async().put("k", 1))).isEqualTo(new Applied<>(null, Stamp.NONE, true));
    assertThat(got(cache.async().get("k"))).contains(1);
    assertThat(got(cache.async().replace("k", 9, 2, Duration.ZERO)))
        .isEqualTo(new Applied<>(false, Stamp.NONE, false));
  }

  @Test
  void theBlockingFaceThrowsWhatTheOutcomeSays() {
    engine.nextOutcomes.add(new Refused<>(ALONE));
    assertThatExceptionOfType(QuorumUnavailableException.class)
        .isThrownBy(() -> cache.put("k", 1))
        .withMessageContainingAll("cache=c", "needs 2 of 3", "answered=[a]", "b=down")
        .satisfies(e -> assertThat(e.shortfall()).isEqualTo(ALONE));
    engine.nextOutcomes.add(new Unknown<>(ALONE));
    assertThatExceptionOfType(UnknownOutcomeException.class)
        .isThrownBy(() -> cache.compute("k", (k, v) -> 1));
    engine.nextFailures.add(new QuorumUnavailableException("c", ALONE));
    assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> cache.get("k"));
  }

  @Test
  void whoMeetsAnotherWriterLearnsWhoThatIsAndWhenItsPlaceIsFree() throws Exception {
    WriterId other = new WriterId(7, 8);
    WriterPresentException present =
        new WriterPresentException("c", other, 3, Duration.ofMillis(2_200));
    engine.nextFailures.add(present);

    assertThatExceptionOfType(EnsembleException.class)
        .isThrownBy(() -> cache.put("k", 1))
        .isSameAs(present)
        .withMessageContainingAll(
            "not applied", "cache=c", "writer=" + other, "epoch=3", "retryAfter=PT2.2S");
    assertThat(present.cache()).isEqualTo("c");
    assertThat(present.writer()).isEqualTo(other);
    assertThat(present.epoch()).isEqualTo(3);
    assertThat(present.retryAfter()).hasMillis(2_200);
    assertThat(timed("put", "refused")).isEqualTo(1);

    engine.nextFailures.add(present);
    assertThatThrownBy(() -> got(cache.async().put("k", 1))).hasCause(present);
  }

  @Test
  void aSupersededWriteReturnsAsIfOverwrittenAMomentLater() {
    for (int i = 0; i < 4; i++) {
      engine.nextOutcomes.add(new Superseded<>(Stamp.NONE));
    }

    assertThat(cache.put("k", 1)).isNull();
    assertThat(cache.compute("k", (k, v) -> 7)).isEqualTo(7);
    assertThat(cache.replace("k", 1, 2)).isFalse();
    assertThat(cache.putIfAbsent("k", 1)).isNull();
    assertThat(engine.nextOutcomes).isEmpty();
  }

  @Test
  void whatIsAskedInVainOfACacheThatIsDeletedMeanwhileSaysSo() {
    engine.nextOutcomes.add(new Refused<>(ALONE));
    CompletableFuture<Object> refused = computedWhileDeleted(() -> 1);
    assertThatThrownBy(() -> refused.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(CacheDeletedException.class);
    assertThatExceptionOfType(CacheDeletedException.class).isThrownBy(() -> cache.get("k"));
  }

  @Test
  void whatFailsWhileTheCacheIsDeletedKeepsItsCause() {
    QuorumUnavailableException why = new QuorumUnavailableException("c", ALONE);
    CompletableFuture<Object> failed =
        computedWhileDeleted(
            () -> {
              throw why;
            });

    assertThatThrownBy(() -> failed.get(30, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(CacheDeletedException.class)
        .hasCause(why);
  }

  @Test
  void aWriteThatMayHaveReachedTheDeletedCacheStaysUnknown() {
    engine.nextOutcomes.add(new Unknown<>(ALONE));

    assertThatThrownBy(() -> computedWhileDeleted(() -> 1).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(UnknownOutcomeException.class);
  }

  private CompletableFuture<Object> computedWhileDeleted(Supplier<Object> value) {
    return cache.computeAsync(
        "k",
        (k, v) -> {
          faces.closeAsDeleted();
          return value.get();
        });
  }

  @Test
  void futuresFailWithWhatHappenedAndNoWrapper() {
    engine.nextOutcomes.add(new Unknown<>(ALONE));
    CompletableFuture<Object> future = cache.putAsync("k", 1);
    CompletableFuture<Throwable> direct = new CompletableFuture<>();
    future.whenComplete((value, failure) -> direct.complete(failure));

    assertThatThrownBy(() -> future.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(UnknownOutcomeException.class);
    assertThat(direct.join()).isInstanceOf(UnknownOutcomeException.class);

    engine.nextFailures.add(new QuorumUnavailableException("c", ALONE));
    assertThatThrownBy(() -> cache.getAsync("k").get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(QuorumUnavailableException.class);
  }

  @Test
  void completingAFutureChangesNothingButItself() throws Exception {
    CompletableFuture<Object> cancelled = cache.putAsync("k", 1);
    cancelled.cancel(true);
    CompletableFuture<Map<String, Object>> forged = cache.getAllAsync(Set.of("k"));
    forged.complete(Map.of());

    assertThat(BlockingCall.poll(() -> cache.get("k"), Duration.ofSeconds(5))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "P2D"})
  void aDeadlineOfZeroIsRefused(String deadline) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.withDeadline(Duration.parse(deadline)))
        .withMessageContainingAll("deadline must be in", "cache=c", "deadline=");
  }

  @Test
  void everyCallHasTheDeadlineOfItsView() {
    long before = scheduler.nanos();
    cache.get("k");
    assertThat(engine.lastDeadline.atNanos() - before)
        .isBetween(Duration.ofSeconds(3).toNanos(), Duration.ofSeconds(20).toNanos());

    before = scheduler.nanos();
    cache.withReturnValues().withDeadline(Duration.ofHours(1)).put("k", 1);
    assertThat(engine.lastDeadline.atNanos() - before)
        .isGreaterThanOrEqualTo(Duration.ofHours(1).toNanos());
    assertThat(cache.withDeadline(Duration.ofHours(1)).deadline()).hasHours(1);
  }

  @Test
  void aBlockingCallOnTheSchedulerIsRefusedBeforeItBegins() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    scheduler.execute(
        () -> {
          try {
            cache.put("k", 1);
            failure.complete(null);
          } catch (RuntimeException e) {
            failure.complete(e);
          }
        });

    assertThat(failure.get(30, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("on a thread of Ensemble", "thread=");
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void anInterruptedCallerStaysInterrupted() {
    engine.silent = true;
    Thread.currentThread().interrupt();

    assertThatExceptionOfType(CancellationException.class)
        .isThrownBy(() -> cache.put("k", 1))
        .withMessageContaining("may be applied");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aStoppedCacheSaysSo() {
    cache.stop();
    assertThat(stops).isEqualTo(1);
    faces.close();

    assertThat(engine.closed).isTrue();
    assertThatIllegalStateException()
        .isThrownBy(() -> cache.get("k"))
        .withMessageContainingAll("stopped", "cache=c");
    assertThatIllegalStateException().isThrownBy(() -> cache.keySet().iterator());
    assertThatIllegalStateException().isThrownBy(() -> cache.async().put("k", 1));
  }

  @Test
  void bulkCallsHaveABoundOnWhatIsUnderWay() {
    Map<String, Object> many =
        IntStream.range(0, 5000).boxed().collect(Collectors.toMap(i -> "k" + i, i -> (Object) i));

    cache.putAll(many);

    assertThat(cache.size()).isEqualTo(5000);
    assertThat(cache.getAll(many.keySet())).isEqualTo(many);
    cache.clear();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(engine.mostUnderWay.get()).isLessThanOrEqualTo(BoundedConcurrency.IN_FLIGHT);
    assertThat(engine.underWay).hasValue(0);
  }

  @Test
  void aBulkCallFailsAsItsFirstFailureDoesAndBeginsNoMore() {
    Map<String, Object> many = new LinkedHashMap<>();
    IntStream.range(0, 5000).forEach(i -> many.put("k" + i, i));
    engine.nextOutcomes.add(new Applied<>(null, Stamp.NONE, true));
    engine.nextOutcomes.add(new Unknown<>(ALONE));

    assertThatExceptionOfType(UnknownOutcomeException.class).isThrownBy(() -> cache.putAll(many));

    assertThat(cache.size()).isLessThan(5000);
    assertThat(engine.underWay).hasValue(0);
  }

  @Test
  void emptyBulkCallsEnd() {
    cache.putAll(Map.of());
    assertThat(cache.getAll(Set.of())).isEmpty();
    cache.clear();
  }

  @Test
  void callsAreTimedWithTheirEnding() {
    engine.nextOutcomes.add(new Unknown<>(ALONE));
    assertThatExceptionOfType(UnknownOutcomeException.class).isThrownBy(() -> cache.put("k", 1));
    cache.put("k", 1);
    cache.put("k", 1);

    assertThat(timed("put", "applied")).isEqualTo(2);
    assertThat(timed("put", "unknown")).isEqualTo(1);
    assertThat(
            registry
                .get("ensemble.outcome.unknown")
                .tags("cache", "c", "mode", "MWMR")
                .counter()
                .count())
        .isEqualTo(1);
  }

  @Test
  void aRegistryThatThrowsKeepsNoAnswerFromItsCaller() throws Exception {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("told to");
              }
            });

    assertThat(got(cache.async().put("k", 1))).isEqualTo(new Applied<>(null, Stamp.NONE, true));
    assertThat(cache.get("k")).isEqualTo(1);
    engine.nextFailures.add(new QuorumUnavailableException("c", ALONE));
    assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> cache.get("k"));
  }

  private long timed(String operation, String outcome) {
    return registry
        .get("ensemble.operation")
        .tags("cache", "c", "mode", "MWMR", "operation", operation, "outcome", outcome)
        .timer()
        .count();
  }

  private static <T> T got(java.util.concurrent.CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
