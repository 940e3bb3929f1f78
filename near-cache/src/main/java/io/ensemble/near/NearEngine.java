package io.ensemble.near;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.near.NearEntries.KeyCall;
import io.ensemble.near.NearEntries.SharedRead;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Returns entries of a near cache where it may, and passes all other calls on to an engine. */
record NearEngine(
    CacheEngine engine, NearScope scope, NearEntries entries, BackgroundReads background)
    implements CacheEngine {

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    if (!scope.covers(key)) {
      return engine.read(key, deadline);
    }
    NearTime now = scope.now();
    NearEntry entry = entries.find(key, now);
    if (entry != null) {
      if (scope.isDue(entry, now)) {
        background.renew(key);
      }
      return CompletableFuture.completedFuture(scope.live(entry));
    }
    return readOrJoin(key, now, deadline);
  }

  private CompletionStage<Optional<Payload>> readOrJoin(
      Bytes key, NearTime now, Deadline deadline) {
    SharedRead joined = entries.join(key, now, deadline.atNanos());
    return joined == null ? readShared(key, deadline) : joined(joined, key, now, deadline);
  }

  /**
   * The result of a read of another caller; if that fails, of a read that this caller may begin.
   */
  private CompletionStage<Optional<Payload>> joined(
      SharedRead joined, Bytes key, NearTime now, Deadline deadline) {
    return joined
        .result()
        .handle(
            (found, failure) ->
                failure == null
                    ? CompletableFuture.<Optional<Payload>>completedFuture(found)
                    : readOrJoin(key, now, deadline))
        .thenCompose(result -> result);
  }

  /** Reads the cache; other callers may join. */
  CompletionStage<Optional<Payload>> readShared(Bytes key, Deadline deadline) {
    SharedRead read = new SharedRead(scope.now(), deadline.atNanos());
    KeyCall call = entries.begin(key, read);
    CompletionStage<Optional<Payload>> answer;
    try {
      answer = engine.read(key, deadline);
    } catch (RuntimeException | Error refused) {
      entries.endWithout(call);
      read.result().completeExceptionally(refused);
      throw refused;
    }
    answer.whenComplete(
        (found, failure) -> {
          if (failure == null) {
            entries.end(call, found.orElse(null));
            read.result().complete(found);
          } else {
            entries.endWithout(call);
            read.result().completeExceptionally(failure);
          }
        });
    return read.result().copy();
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    if (!scope.covers(key)) {
      return engine.write(key, value, deadline);
    }
    KeyCall call = entries.beginWrite(key, scope.now());
    return ended(
        call,
        () -> engine.write(key, value, deadline),
        outcome -> {
          if (outcome instanceof WriteOutcome.Applied<Void> applied && applied.wrote()) {
            entries.end(call, value);
          } else {
            entries.endWithout(call);
          }
        });
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    if (!scope.covers(key)) {
      return engine.update(key, update, deadline);
    }
    KeyCall call = entries.beginWrite(key, scope.now());
    return ended(
        call, () -> engine.update(key, update, deadline), outcome -> entries.endWithout(call));
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    if (!scope.covers(key)) {
      return engine.amend(key, siblingUpdate, deadline);
    }
    KeyCall call = entries.beginWrite(key, scope.now());
    return ended(
        call,
        () -> engine.amend(key, siblingUpdate, deadline),
        outcome -> entries.endWithout(call));
  }

  /** Ends the call with its answer, before the caller learns of it. */
  private <T> CompletionStage<T> ended(
      KeyCall call, Supplier<CompletionStage<T>> sent, Consumer<T> end) {
    CompletionStage<T> answer;
    try {
      answer = sent.get();
    } catch (RuntimeException | Error refused) {
      entries.endWithout(call);
      throw refused;
    }
    return answer.whenComplete(
        (outcome, failure) -> {
          if (failure == null) {
            end.accept(outcome);
          } else {
            entries.endWithout(call);
          }
        });
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return engine.siblings(key, deadline);
  }

  @Override
  public Bytes recordedKey(Bytes key) {
    return engine.recordedKey(key);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize);
  }

  @Override
  public void close() {
    engine.close();
  }
}
