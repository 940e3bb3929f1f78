package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One backing cache at one site. Every call is one request to the site. Its stage completes on
 * {@link io.ensemble.schedule.Scheduler#answers()} of the calling thread, at the deadline at the
 * latest; it fails with {@link SiteException}. A failed write may have been performed. Entries
 * never expire on their own. An empty value is an {@link IllegalArgumentException}, because not
 * every site can distinguish it from none. Thread-safe.
 */
public interface SiteStore {

  /** The site's name. */
  String site();

  /**
   * Whether one node holds the whole store ({@link StoreKind#REPLICA}), so that no read returns an
   * entry that was replaced. False if that is not known.
   */
  default boolean isNodeLocal() {
    return false;
  }

  /** The entry, empty when there is none. */
  CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline);

  /**
   * The value of {@link #read}'s entry alone, for callers that need no version: a shorter response.
   */
  default CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    return read(key, deadline).thenApply(entry -> entry.map(StoredEntry::value));
  }

  /** Stores the first value of a key; false when there is one already. */
  CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline);

  /** Replaces the value if the entry still has {@code version}; false when it has not. */
  CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline);

  /** Removes the entry if it still has {@code version}; false when it has not. */
  CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline);

  /**
   * Stores a value, replacing any previous one, and returns nothing. {@link StoreKind#PLAIN} only.
   */
  CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline);

  /**
   * Stores a value and returns the previous one, empty when there was none. {@link StoreKind#PLAIN}
   * only.
   */
  CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline);

  /**
   * This store for the few small requests on which leases depend: where requests are bounded, these
   * have slots of their own and do not wait behind data. Scans are unchanged.
   */
  default SiteStore prioritized() {
    return this;
  }

  /**
   * Begins a scan of the entries, in no order. An entry that exists throughout is returned at least
   * once; an entry that is added or removed meanwhile may be returned or not.
   */
  Scan scan(int batchSize);

  /**
   * Begins to report entries that are stored from now on. Fails with {@link
   * UnsupportedOperationException} at a store that reports none.
   *
   * @return ends the reports, once they have begun
   */
  default CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    return CompletableFuture.failedStage(
        new UnsupportedOperationException("the store reports no entries; site=" + site()));
  }

  /** A scan of a store. One caller at a time. */
  interface Scan extends AutoCloseable {

    /**
     * The next entries, at most a batch; empty at the end. A failed call may be repeated. After an
     * error of the site, the scan then begins again and returns entries a second time. If scans
     * repeatedly end with errors and none comes further, each call fails as the last one did.
     */
    CompletionStage<List<Item>> next(Deadline deadline);

    /** Releases the state that the site keeps for the scan. */
    @Override
    void close();

    /** An entry found by the scan. */
    record Item(Bytes key, Bytes value) {}
  }
}
