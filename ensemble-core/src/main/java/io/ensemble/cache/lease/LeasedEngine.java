package io.ensemble.cache.lease;

import io.ensemble.CacheDefinition;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An engine whose answers come from majorities. An answer is given only while a majority is under
 * lease to have no end of the configuration. Otherwise a read fails, and a write has an unknown
 * outcome. While the cache is in use, the lease costs no round trip; after a pause it costs one, in
 * parallel with the call's own.
 */
public final class LeasedEngine implements CacheEngine {

  static final String ENDING = "the configuration is ending";

  /** Why an answer already obtained was not given, if no end is known. */
  static final String UNCONFIRMED = "no confirmation in time that the configuration is current";

  private final CacheEngine engine;
  private final CacheDefinition definition;
  private final ConfigurationEndReader trust;
  private final CacheMetrics metrics;

  /**
   * @param engine closed with this engine
   * @param metrics receives the answers that are withheld although no end is known
   */
  public LeasedEngine(
      CacheEngine engine,
      CacheDefinition definition,
      ConfigurationEndReader trust,
      CacheMetrics metrics) {
    this.engine = engine;
    this.definition = definition;
    this.trust = trust;
    this.metrics = metrics;
    metrics.beginLeaseFailures(CacheMetrics.LeaseKind.CONFIGURATION);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    trust.use();
    return given(engine.read(key, deadline), deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    trust.use();
    return told(engine.write(key, value, deadline), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    trust.use();
    return told(engine.update(key, update, deadline), deadline);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return leased(engine.scan(batchSize));
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return leased(engine.scanKeys(batchSize));
  }

  private EntryScan leased(EntryScan scan) {
    return new EntryScan() {
      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        trust.use();
        return given(scan.next(deadline), deadline);
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  @Override
  public Optional<ChangeSource> changes() {
    return engine.changes().map(source -> source.confirmedBy(this::isCurrent));
  }

  /** Whether the configuration had not ended when this method was called. */
  private CompletionStage<Boolean> isCurrent(Deadline deadline) {
    trust.use();
    return trust.mayAnswer() ? CompletableFuture.completedFuture(true) : trust.confirmed(deadline);
  }

  private <T> CompletionStage<T> given(CompletionStage<T> answer, Deadline deadline) {
    return answer.thenCompose(
        found ->
            trust.mayAnswer()
                ? CompletableFuture.completedFuture(found)
                : trust
                    .confirmed(deadline)
                    .thenApply(
                        yes -> {
                          if (!yes) {
                            throw new QuorumUnavailableException(definition.name(), ending());
                          }
                          return found;
                        }));
  }

  private <R> CompletionStage<WriteOutcome<R>> told(
      CompletionStage<WriteOutcome<R>> answer, Deadline deadline) {
    return answer.thenCompose(
        outcome ->
            !(outcome instanceof WriteOutcome.Applied<R>) || trust.mayAnswer()
                ? CompletableFuture.completedFuture(outcome)
                : trust
                    .confirmed(deadline)
                    .thenApply(yes -> yes ? outcome : new WriteOutcome.Unknown<R>(ending())));
  }

  private QuorumFailure ending() {
    if (trust.isEnding()) {
      return SiteResponses.notAsked(definition.sites(), ENDING);
    }
    metrics.leaseFailed(CacheMetrics.LeaseKind.CONFIGURATION);
    return SiteResponses.notAsked(definition.sites(), UNCONFIRMED);
  }

  @Override
  public void close() {
    engine.close();
    trust.close();
  }
}
