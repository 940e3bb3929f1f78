package io.ensemble.cache.recording;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Passes calls on to an engine, and reports each one to the recorder of the cache when it has
 * ended, before the caller is notified. The recorder of a private cache never gets a key.
 */
public record RecordingEngine(CacheEngine engine, CacheMetrics metrics) implements CacheEngine {

  /** Stands for no write, which is a read. */
  private static final int KEPT = CacheOperationRecorder.NO_VALUE - 1;

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return engine
        .read(key, deadline)
        .whenComplete(
            (found, failure) ->
                recordRead(
                    key,
                    found == null ? CacheOperationRecorder.NO_VALUE : sizeOf(found.orElse(null))));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return engine
        .write(key, value, deadline)
        .whenComplete((outcome, failure) -> recordWrite(key, sizeOf(value)));
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    AtomicInteger written = new AtomicInteger(KEPT);
    AtomicInteger found = new AtomicInteger(CacheOperationRecorder.NO_VALUE);
    Update<Payload, R> observed =
        current -> {
          Update.Decision<Payload, R> decision = update.decide(current);
          found.set(sizeOf(current));
          written.set(decision.writes() ? sizeOf(decision.value()) : KEPT);
          return decision;
        };
    return engine
        .update(key, observed.withHintOf(update), deadline)
        .whenComplete((outcome, failure) -> recordChange(key, found.get(), written.get()));
  }

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return engine
        .siblings(key, deadline)
        .whenComplete(
            (found, failure) ->
                recordRead(key, found == null ? CacheOperationRecorder.NO_VALUE : sizeOf(found)));
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    AtomicInteger written = new AtomicInteger(KEPT);
    AtomicInteger found = new AtomicInteger(CacheOperationRecorder.NO_VALUE);
    return engine
        .<R>amend(
            key,
            current -> {
              SiblingUpdate.Decision<Payload, R> decision = siblingUpdate.decide(current);
              found.set(sizeOf(current));
              written.set(decision.overwritten() == null ? KEPT : sizeOf(decision.value()));
              return decision;
            },
            deadline)
        .whenComplete((outcome, failure) -> recordChange(key, found.get(), written.get()));
  }

  private void recordChange(Bytes key, int found, int written) {
    if (written == KEPT) {
      recordRead(key, found);
    } else {
      recordWrite(key, written);
    }
  }

  private void recordRead(Bytes key, int valueBytes) {
    metrics.observe(observer -> observer.read(shown(key), valueBytes));
  }

  private void recordWrite(Bytes key, int valueBytes) {
    metrics.observe(observer -> observer.write(shown(key), valueBytes));
  }

  private Bytes shown(Bytes key) {
    return engine.recordedKey(key);
  }

  private static int sizeOf(@Nullable Payload value) {
    return value == null ? CacheOperationRecorder.NO_VALUE : value.value().size();
  }

  /** The size of all values together. */
  private static int sizeOf(Siblings<Payload> values) {
    return values.alive().isEmpty()
        ? CacheOperationRecorder.NO_VALUE
        : values.alive().stream().mapToInt(one -> one.value().value().size()).sum();
  }

  @Override
  public void close() {
    engine.close();
  }
}
