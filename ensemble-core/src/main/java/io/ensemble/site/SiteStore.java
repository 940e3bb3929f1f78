package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * One backing cache at one site. Every call is one request to the site and completes where {@link
 * io.ensemble.schedule.Scheduler#answers()} says at the call, at the deadline at the latest; it
 * fails with {@link SiteException}. A failed write may have been performed. Entries never expire on
 * their own. An empty value is an {@link IllegalArgumentException}: not every site can tell it from
 * none. Thread-safe.
 */
public interface SiteStore {

  /** The site's name. */
  String site();

  /** The entry, empty when there is none. */
  CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline);

  /** The value of {@link #read}'s entry alone, for who needs no version: a shorter answer. */
  default CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    return read(key, deadline).thenApply(entry -> entry.map(StoredEntry::value));
  }

  /** Stores the first value of a key; false when there is one already. */
  CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline);

  /** Replaces the value if the entry still has {@code version}; false when it has not. */
  CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline);

  /** Removes the entry if it still has {@code version}; false when it has not. */
  CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline);

  /** Stores a value whatever was there, and says nothing about it. {@link StoreKind#PLAIN} only. */
  CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline);

  /**
   * Stores a value whatever was there and returns what was, empty when nothing was. {@link
   * StoreKind#PLAIN} only.
   */
  CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline);

  /**
   * This store for the few small requests that leases hang on: where requests are bounded, these
   * have slots of their own and do not wait behind data. Walks are as they are.
   */
  default SiteStore prioritized() {
    return this;
  }

  /**
   * Begins to walk over the entries, in no order. An entry that is there throughout is met at least
   * once; one that comes or goes meanwhile may be met or not.
   */
  Scan scan(int batchSize);

  /** A walk over a store. One caller at a time. */
  interface Scan extends AutoCloseable {

    /**
     * The next entries, at most a batch; empty at the end. A failed call may be repeated; after an
     * error of the site the walk then begins again and meets entries a second time, unless walks
     * end with errors again and again and none comes further: then each call fails as the last did.
     */
    CompletionStage<List<Item>> next(Deadline deadline);

    /** Frees what the site keeps for the walk. */
    @Override
    void close();

    /** An entry met on the way. */
    record Item(Bytes key, Bytes value) {}
  }
}
