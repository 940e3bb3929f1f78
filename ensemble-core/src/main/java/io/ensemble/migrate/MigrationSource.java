package io.ensemble.migrate;

import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The content of a cache in its former configuration. The source reads it as a client does, but
 * without a lease, because the mover keeps track of the end of the configuration.
 */
interface MigrationSource extends AutoCloseable {

  /** The stores, of which some must be scanned. */
  List<StoreHandle> stores();

  /** How many of them must be scanned to find every key. */
  int sitesToScan();

  /** Whether another store may be scanned instead of the one at {@code site}, which has failed. */
  default boolean mayLose(String site) {
    return true;
  }

  /**
   * Completes once this source has read enough end marks to read the configuration. Call only after
   * the configuration has ended.
   */
  default CompletionStage<Void> awaitEnds() {
    return CompletableFuture.completedFuture(null);
  }

  /** The live value of a key in a configuration that has ended. */
  default CompletionStage<Optional<Payload>> readAfterEnds(Bytes key, Deadline deadline) {
    return awaitEnds().thenCompose(done -> read(key, deadline));
  }

  /** The live value of a key. */
  CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);

  /**
   * Writes the end mark of the configuration at a site, by index, or finds that it is already
   * there. Fails with {@link io.ensemble.site.SiteException} when the site does not answer.
   */
  CompletionStage<?> end(int site, Deadline deadline);

  /**
   * Excludes a lost store if this source can do without it, and returns whether the store then
   * counts as ended.
   *
   * @param site the site of the store; data that it alone had is lost
   */
  boolean acceptLoss(String site);

  @Override
  void close();
}
