package io.ensemble.cache.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers that are withheld for want of a lease are counted, those of an ended one are not. */
class LeaseFailuresTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<ScriptedStore> stores =
      List.of(new ScriptedStore(), new ScriptedStore(), new ScriptedStore());
  private final LeasedEngine engine =
      new LeasedEngine(
          new AnswersAll(),
          CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c").build(),
          new ConfigurationEndReader(
              ConfigurationLeaseRules.STANDARD, stores, 2, scheduler, () -> {}),
          CacheMetrics.of(registry, "stock", Mode.MWMR));

  /** An engine whose answers need a lease. */
  private static final class AnswersAll implements CacheEngine {

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(
        Bytes key, @Nullable Payload value, Deadline deadline) {
      throw new AssertionError("not used");
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      throw new AssertionError("not used");
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new AssertionError("not used");
    }

    @Override
    public void close() {}
  }

  private CompletableFuture<Optional<Payload>> read() {
    return engine.read(KEY, Deadline.after(Duration.ofSeconds(1), scheduler)).toCompletableFuture();
  }

  private double failures() {
    return registry
        .get("ensemble.lease.failures")
        .tags("cache", "stock", "mode", "MWMR", "lease", "configuration")
        .counter()
        .count();
  }

  @Test
  void aWithheldAnswerIsAFailure() {
    assertThat(read()).isCompletedWithValue(Optional.empty());
    assertThat(failures()).as("exported from 0 on").isZero();
    scheduler.advance(Duration.ofMinutes(1));
    stores.forEach(store -> store.failures = Integer.MAX_VALUE);

    CompletableFuture<Optional<Payload>> withheld = read();
    scheduler.advance(Duration.ofSeconds(2));

    assertThat(withheld).isCompletedExceptionally();
    assertThat(failures()).isEqualTo(1);
  }

  @Test
  void theEndOfAConfigurationIsNone() {
    stores.forEach(
        store -> store.entries.put(ReservedKey.END, new StoredEntry(Bytes.of((byte) 9), 1)));

    assertThat(read()).isCompletedExceptionally();

    assertThat(failures()).isZero();
  }
}
