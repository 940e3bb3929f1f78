package io.ensemble.cache;

import io.ensemble.WriteOutcome;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One open ensemble cache of one mode, on encoded keys and values. Stages complete on the
 * scheduler, at the deadline at the latest. An expired value is an absent one. Thread-safe.
 */
public interface CacheEngine extends AutoCloseable {

  /**
   * The live value; fails with {@link io.ensemble.QuorumUnavailableException}, after which a retry
   * is safe.
   */
  CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);

  /** Writes {@code value} whatever is there; null removes. The answer's result is null. */
  CompletionStage<WriteOutcome<Void>> write(Bytes key, @Nullable Payload value, Deadline deadline);

  /**
   * Reads, decides and writes, in one step as far as the mode promises. {@code update} may be
   * called several times, of which one counts. What it throws fails the stage, and nothing is
   * written; but it may have been shown what nobody ever finds there. What is to be told of the key
   * is a result.
   */
  <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline);

  /**
   * Begins to walk over the live entries; not a snapshot. Each key that is there throughout is met
   * once.
   */
  EntryScan scan(int batchSize);

  /**
   * All values of a key that nobody has overwritten, expired ones too, as one site shows them; for
   * caches that keep siblings only. Fails as {@link #read} does.
   *
   * @throws UnsupportedOperationException if the cache keeps none
   */
  default CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    throw noSiblings();
  }

  /**
   * Reads the siblings of a key at one site, decides and writes there, in one step. Otherwise as
   * {@link #update}.
   *
   * @throws UnsupportedOperationException if the cache keeps no siblings
   */
  default <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    throw noSiblings();
  }

  /**
   * As {@link #scan(int)}, of a cache that keeps siblings.
   *
   * @param shown the value that siblings show, null for none; what it throws fails the call
   * @throws UnsupportedOperationException if the cache keeps none
   */
  default EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    throw noSiblings();
  }

  private static UnsupportedOperationException noSiblings() {
    return new UnsupportedOperationException("only WEAK caches that were created so keep siblings");
  }

  /** Ends background work, and what waits for it, at once. Sites stay open. */
  @Override
  void close();

  /** A walk over a cache. One caller at a time. */
  interface EntryScan extends AutoCloseable {

    /** The next live entries; empty at the end. A failed call may be repeated. */
    CompletionStage<List<Entry>> next(Deadline deadline);

    @Override
    void close();

    /** A live entry. */
    record Entry(Bytes key, Payload value) {}
  }
}
