package io.ensemble.cache.swmr;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.primary.Term;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A control register that holds the record of terms and answers immediately. */
final class TermRegister implements CacheEngine {

  private @Nullable Payload present;

  /** The number of reads. */
  int reads;

  /** How many of the next changes are made and answered as of unknown outcome. */
  int unknown;

  /** How many of the next changes are not made and answered as of unknown outcome. */
  int lost;

  /** Runs before the next change, to simulate a change by another process. */
  @Nullable Runnable between;

  TermRegister(Term first) {
    put(first);
  }

  /** Simulates a change of the record by another process. */
  void put(Term term) {
    present = TermCodec.encode(term);
  }

  Term term() {
    return TermCodec.decode(Objects.requireNonNull(present).value());
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    reads++;
    return CompletableFuture.completedFuture(Optional.ofNullable(present));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
    throw new AssertionError("the record is changed by updates alone");
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    Runnable first = between;
    between = null;
    if (first != null) {
      first.run();
    }
    WriteOutcome<R> silence =
        new WriteOutcome.Unknown<>(new QuorumFailure(2, 3, Set.of(), Map.of()));
    if (lost > 0) {
      lost--;
      return CompletableFuture.completedFuture(silence);
    }
    Decision<Payload, R> decision = update.decide(present);
    if (decision.writes()) {
      present = decision.value();
    }
    if (unknown > 0) {
      unknown--;
      return CompletableFuture.completedFuture(silence);
    }
    return CompletableFuture.completedFuture(
        new WriteOutcome.Applied<>(decision.result(), Stamp.NONE, decision.writes()));
  }

  @Override
  public EntryScan scan(int batchSize) {
    throw new AssertionError("the record is one key");
  }

  @Override
  public void close() {}
}
