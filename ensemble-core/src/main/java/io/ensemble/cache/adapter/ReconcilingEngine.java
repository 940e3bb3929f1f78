package io.ensemble.cache.adapter;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.SiblingUpdate.Decision;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Presents an engine that keeps siblings as an engine with one value for each key; a policy
 * computes that value.
 */
record ReconcilingEngine(CacheEngine engine, Function<Siblings<Payload>, @Nullable Payload> policy)
    implements CacheEngine {

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return engine
        .siblings(key, deadline)
        .thenApply(found -> Optional.ofNullable(policy.apply(found)));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return engine.write(key, value, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return engine.amend(
        key,
        found -> {
          Update.Decision<Payload, R> decision = update.decide(policy.apply(found));
          return decision.writes()
              ? Decision.write(found.seen(), decision.value(), decision.result())
              : Decision.keep(decision.result());
        },
        deadline);
  }

  @Override
  public Bytes recordedKey(Bytes key) {
    return engine.recordedKey(key);
  }

  @Override
  public Optional<ChangeSource> changes() {
    return engine.changes();
  }

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize, policy);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return engine.siblings(key, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    return engine.amend(key, siblingUpdate, deadline);
  }

  @Override
  public EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    return engine.scan(batchSize, shown);
  }

  @Override
  public void close() {
    engine.close();
  }
}
