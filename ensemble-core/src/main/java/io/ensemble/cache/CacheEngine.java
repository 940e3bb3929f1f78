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
 * One open Ensemble cache of one mode, on encoded keys and values. Stages complete on the
 * scheduler, at the deadline at the latest. An expired value counts as absent. Thread-safe.
 */
public interface CacheEngine extends AutoCloseable {

  /**
   * Returns the live value. Fails with {@link io.ensemble.QuorumUnavailableException}; a retry is
   * then safe.
   */
  CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);

  /** Writes {@code value} unconditionally; null removes. The result in the outcome is null. */
  CompletionStage<WriteOutcome<Void>> write(Bytes key, @Nullable Payload value, Deadline deadline);

  /**
   * Reads, decides and writes, in one step as far as the mode promises. {@code update} may be
   * called several times; one of the calls counts. An exception of {@code update} fails the stage,
   * and nothing is written. Such a call may have been shown a value that no read ever returns. A
   * statement about the key must therefore be a result, not an exception.
   */
  <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline);

  /**
   * Begins a scan of the live entries; the scan is not a snapshot. Each key that is present
   * throughout is returned once.
   */
  EntryScan scan(int batchSize);

  /**
   * Begins a scan of the keys alone; the values of its entries are undefined. Each key that is
   * present throughout is returned at least once. Keys without a live value may be returned too.
   * Reads no value by a quorum, and keeps no keys in memory unless an engine says otherwise.
   */
  default EntryScan scanKeys(int batchSize) {
    return scan(batchSize);
  }

  /**
   * Returns all values of a key that no write has overwritten, expired values included, as one site
   * holds them. Only for caches that keep siblings. Fails as {@link #read} does.
   *
   * @throws UnsupportedOperationException if the cache keeps no siblings
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
   * As {@link #scan(int)}, for a cache that keeps siblings.
   *
   * @param shown maps siblings to the value to return, or to null for no value; an exception of
   *     this function fails the call
   * @throws UnsupportedOperationException if the cache keeps no siblings
   */
  default EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    throw noSiblings();
  }

  /**
   * The means to see the changes of the cache; empty while there are none, for example while keys
   * are migrated from a former configuration.
   *
   * @throws UnsupportedOperationException if changes of the cache cannot be seen
   */
  default Optional<ChangeSource> changes() {
    throw new UnsupportedOperationException("the engine of the cache does not report changes");
  }

  private static UnsupportedOperationException noSiblings() {
    return new UnsupportedOperationException(
        "siblings require a WEAK cache that was created with siblings");
  }

  /** How a key is named to recorders of operations: of a private cache by an HMAC. */
  default Bytes recordedKey(Bytes key) {
    return key;
  }

  /** Ends background work, and the calls that wait for it, immediately. Sites stay open. */
  @Override
  void close();

  /** A scan of a cache. Not for concurrent callers. */
  interface EntryScan extends AutoCloseable {

    /** The next live entries; empty at the end. A failed call may be repeated. */
    CompletionStage<List<Entry>> next(Deadline deadline);

    @Override
    void close();

    /** A live entry. */
    record Entry(Bytes key, Payload value) {}
  }
}
