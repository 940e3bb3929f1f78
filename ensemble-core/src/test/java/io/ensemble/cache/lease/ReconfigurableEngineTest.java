package io.ensemble.cache.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls wait for the next configuration, up to a bound, and are then sent to it. */
final class ReconfigurableEngineTest {

  private static final CacheDefinition DEFINITION =
      CacheDefinition.of("c", Mode.MWMR).sites("a").build();
  private static final Bytes KEY = Bytes.of((byte) 1);

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final Counting first = new Counting();
  private final Counting second = new Counting();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicReference<CompletableFuture<?>> record =
      new AtomicReference<>(new CompletableFuture<>());
  private final ReconfigurableEngine engine =
      new ReconfigurableEngine(
          serving(1, first), scheduler, looks::incrementAndGet, () -> record.get());

  private static ServingConfiguration serving(long number, CacheEngine engine) {
    return new ServingConfiguration(number, DEFINITION, engine, engine, () -> false);
  }

  @AfterEach
  void close() {
    engine.close();
    scheduler.close();
  }

  private Deadline in(long seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), scheduler);
  }

  @Test
  void heldCallsGoToTheNextConfiguration() throws Exception {
    engine.hold(1);
    CompletableFuture<WriteOutcome<Void>> held =
        engine.write(KEY, null, in(60)).toCompletableFuture();

    assertThat(held).isNotDone();
    assertThat(looks).hasPositiveValue();
    engine.serve(serving(2, second));

    assertThat(held.get(30, TimeUnit.SECONDS)).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(first.writes).hasValue(0);
    assertThat(second.writes).hasValue(1);
    assertThat(first.closed).hasValue(1);
  }

  @Test
  void heldCallsAreRefusedAtTheirDeadlines() throws Exception {
    engine.hold(1);

    assertThat(engine.write(KEY, null, in(0)).toCompletableFuture().get(30, TimeUnit.SECONDS))
        .isInstanceOf(WriteOutcome.Refused.class);
    assertThat(engine.read(KEY, in(0)).toCompletableFuture())
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withCauseInstanceOf(QuorumUnavailableException.class);
    assertThat(first.writes).hasValue(0);
  }

  @Test
  void moreCallsThanTheBoundAreRefusedAtOnce() throws Exception {
    engine.hold(1);
    List<CompletableFuture<WriteOutcome<Void>>> held = new ArrayList<>();
    for (int i = 0; i < ReconfigurableEngine.MOST_WAITING; i++) {
      held.add(engine.write(KEY, null, in(600)).toCompletableFuture());
    }

    assertThat(engine.write(KEY, null, in(600)).toCompletableFuture().get(30, TimeUnit.SECONDS))
        .isInstanceOf(WriteOutcome.Refused.class);
    assertThat(held).noneMatch(CompletableFuture::isDone);
    engine.close();
    for (CompletableFuture<WriteOutcome<Void>> one : held) {
      one.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoWaitedInVainLeavesTheirPlace() throws Exception {
    engine.hold(1);
    for (int i = 0; i < ReconfigurableEngine.MOST_WAITING; i++) {
      engine.write(KEY, null, in(0)).toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    CompletableFuture<WriteOutcome<Void>> next =
        engine.write(KEY, null, in(600)).toCompletableFuture();

    engine.serve(serving(2, second));
    assertThat(next.get(30, TimeUnit.SECONDS)).isInstanceOf(WriteOutcome.Applied.class);
  }

  @Test
  void whereStoresAreGoneTheRecordSaysWhetherTheConfigurationIsOver() throws Exception {
    first.silent = Map.of("a", "store_lost");
    CompletableFuture<Optional<Payload>> read = engine.read(KEY, in(60)).toCompletableFuture();
    first.silent = Map.of("a", "STORE_LOST");
    CompletableFuture<WriteOutcome<Void>> write =
        engine.write(KEY, null, in(60)).toCompletableFuture();

    assertThat(read).isNotDone();
    engine.serve(serving(2, second));
    record.get().complete(null);

    assertThat(read.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(write.get(30, TimeUnit.SECONDS)).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(second.writes).hasValue(1);
  }

  @Test
  void storesThatTheRecordStillNamesAreLost() {
    first.silent = Map.of("a", "store_lost");
    record.get().completeExceptionally(new IllegalStateException("no catalog"));

    assertThat(engine.read(KEY, in(60)).toCompletableFuture())
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withCauseInstanceOf(QuorumUnavailableException.class);
  }

  @Test
  void aRecordIsNotWaitedForLongerThanTheCall() throws Exception {
    first.silent = Map.of("a", "store_lost");

    assertThat(
            engine
                .write(KEY, null, Deadline.after(Duration.ofMillis(50), scheduler))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS))
        .isInstanceOf(WriteOutcome.Refused.class);
  }

  @Test
  void whoIsOnlySilentIsNotLookedForInTheRecord() {
    first.silent = Map.of("a", "UNREACHABLE");

    assertThat(engine.read(KEY, in(60))).isCompletedExceptionally();
  }

  /** The write may be in effect; a second one would undo later writes of other clients. */
  @Test
  void whatWasPerhapsDoneIsNotTriedAgainInTheNextConfiguration() {
    first.outcome = new WriteOutcome.Unknown<>(first.missing());
    first.silent = Map.of("a", "STORE_LOST");
    engine.serve(
        new ServingConfiguration(2, DEFINITION, first, first, () -> true)); // Known to end.

    CompletableFuture<WriteOutcome<Void>> write =
        engine.write(KEY, null, in(60)).toCompletableFuture();

    assertThat(write).isCompletedWithValue(first.outcome);
    engine.serve(serving(3, second));
    assertThat(second.writes).hasValue(0);
  }

  @Test
  void whatWasRefusedIsTriedAgainWhereTheConfigurationIsKnownToEnd() throws Exception {
    first.silent = Map.of("a", "UNREACHABLE");
    engine.serve(new ServingConfiguration(2, DEFINITION, first, first, () -> true));

    CompletableFuture<WriteOutcome<Void>> write =
        engine.write(KEY, null, in(60)).toCompletableFuture();

    assertThat(write).isNotDone();
    engine.serve(serving(3, second));
    assertThat(write.get(30, TimeUnit.SECONDS)).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(second.writes).hasValue(1);
  }

  /** The call finds the engine before it is replaced, and uses it afterwards. */
  @Test
  void anEngineThatWasReplacedMeanwhileIsNotTheEndOfTheCache() throws Exception {
    first.onRequest = () -> engine.serve(serving(2, second));
    CompletableFuture<WriteOutcome<Void>> write =
        engine.write(KEY, null, in(60)).toCompletableFuture();
    second.onRequest = () -> engine.serve(serving(3, new Counting()));
    EntryScan scan = engine.scan(1);

    assertThat(write.get(30, TimeUnit.SECONDS)).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(second.writes).hasValue(1);
    assertThat(engine.number()).isEqualTo(3);
    assertThat(scan.next(in(60)).toCompletableFuture().get(30, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void aClosedEngineIsTheEndOfAClosedCache() {
    engine.close();
    first.onRequest = () -> {};

    assertThatThrownBy(() -> engine.write(KEY, null, in(60)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anOlderConfigurationIsNeverServedAgain() {
    engine.serve(serving(2, second));
    Counting late = new Counting();

    engine.serve(serving(2, late));
    engine.hold(1);

    assertThat(late.closed).hasValue(1);
    assertThat(engine.number()).isEqualTo(2);
    assertThat(engine.write(KEY, null, in(60))).isCompleted();
  }

  /** Counts and applies writes; refuses calls while {@link #silent} names sites. */
  private static final class Counting implements CacheEngine {
    final AtomicInteger writes = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    Map<String, String> silent = Map.of();
    @Nullable WriteOutcome<Void> outcome;

    /** Runs at the first request, which then finds the engine closed. */
    @Nullable Runnable onRequest;

    private void requireOpen() {
      Runnable first = onRequest;
      if (first != null) {
        onRequest = null;
        first.run();
        throw new IllegalStateException("the cache is closed");
      }
    }

    private QuorumFailure missing() {
      return new QuorumFailure(1, 1, Set.of(), silent);
    }

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      if (!silent.isEmpty()) {
        return CompletableFuture.failedFuture(new QuorumUnavailableException("c", missing()));
      }
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(
        Bytes key, @Nullable Payload value, Deadline deadline) {
      requireOpen();
      WriteOutcome<Void> told = outcome;
      if (told != null) {
        return CompletableFuture.completedFuture(told);
      }
      if (!silent.isEmpty()) {
        return CompletableFuture.completedFuture(new WriteOutcome.Refused<>(missing()));
      }
      writes.incrementAndGet();
      return CompletableFuture.completedFuture(new WriteOutcome.Applied<>(null, Stamp.NONE, true));
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public EntryScan scan(int batchSize) {
      requireOpen();
      return new EntryScan() {
        @Override
        public CompletionStage<List<Entry>> next(Deadline deadline) {
          return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }
}
