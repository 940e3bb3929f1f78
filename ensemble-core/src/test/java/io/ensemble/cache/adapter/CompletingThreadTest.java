package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.codec.Codec;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.WaitingThread;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads on which dependent stages run, whichever thread brings the answer. */
@Timeout(60)
class CompletingThreadTest extends CacheAdapterFixture {

  private final HeldEngine held = new HeldEngine();
  private final EnsembleCache<String, Object> slow =
      new CacheInstance(
              definition,
              held,
              new Codec(List.of()),
              scheduler,
              CacheMetrics.NONE,
              micros::get,
              () -> {})
          .<String, Object>cache();

  @Test
  void whatDependsOnAnAsynchronousCallRunsOnTheSchedulerWhoeverBringsTheAnswer() throws Exception {
    CompletableFuture<Thread> ran =
        slow.async().get("k").thenApply(found -> Thread.currentThread()).toCompletableFuture();

    held.answer.complete(Optional.empty());

    assertThat(ran.get(20, TimeUnit.SECONDS).getName()).startsWith("ensemble-");
  }

  /** An answer then wakes one thread instead of two. */
  @Test
  void whatDependsOnACallInsideABlockingCallRunsOnTheThreadThatWaits() throws Exception {
    CompletableFuture<Thread> ran =
        WaitingThread.await(
            () -> {
              scheduler.execute(() -> held.answer.complete(Optional.empty()));
              return slow.async()
                  .get("k")
                  .thenApply(found -> Thread.currentThread())
                  .toCompletableFuture();
            },
            scheduler,
            TimeUnit.SECONDS.toNanos(30));

    assertThat(ran).isCompletedWithValue(Thread.currentThread());
  }

  @Test
  void anAnswerThatComesAfterTheSchedulersEndIsGivenAllTheSame() {
    CompletableFuture<Optional<Object>> found = slow.async().get("k").toCompletableFuture();
    scheduler.close();

    held.answer.complete(Optional.empty());

    assertThat(found).isCompletedWithValue(Optional.empty());
  }

  private static final class HeldEngine implements CacheEngine {

    private final CompletableFuture<Optional<Payload>> answer = new CompletableFuture<>();

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      return answer;
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
