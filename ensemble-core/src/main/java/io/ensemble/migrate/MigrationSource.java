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
 * What a cache holds in its former configuration, read as a client reads it, but without trust: the
 * mover is the one who knows whether the configuration has ended.
 */
interface MigrationSource extends AutoCloseable {

  /** The stores of which some must be walked over. */
  List<StoreHandle> stores();

  /** How many of them, so that no key is missed. */
  int toWalk();

  /** Whether another one may be walked over for that at {@code site}, which has failed. */
  default boolean mayLose(String site) {
    return true;
  }

  /**
   * Completes once this knows how the configuration ended, as far as it must to read it. To be
   * called only where it has ended.
   */
  default CompletionStage<Void> whenEndsAreKnown() {
    return CompletableFuture.completedFuture(null);
  }

  /** The live value of a key in a configuration that has ended. */
  default CompletionStage<Optional<Payload>> readEnded(Bytes key, Deadline deadline) {
    return whenEndsAreKnown().thenCompose(known -> read(key, deadline));
  }

  /** The live value of a key. */
  CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline);

  /**
   * Puts the end of the configuration at a site, by index; found when it is there. Fails with
   * {@link io.ensemble.site.SiteException} when the site does not answer.
   */
  CompletionStage<?> end(int site, Deadline deadline);

  /**
   * Whether a store that is gone for good counts as ended.
   *
   * @param site which the store was at; what it alone had is lost
   */
  boolean endsWith(String site);

  @Override
  void close();
}
