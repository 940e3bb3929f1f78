package io.ensemble.versioning.drive;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.history.LookupResult;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexEntryCodec;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds the entries of a store that histories reference, beside their own. Any other entry under
 * {@link #PREFIX} will never be read. For tools that inspect a store. Thread-safe.
 */
public final class ReferencedParts<T> {

  /** The prefix of all entries beside the histories. */
  public static final String PREFIX = HistoryPartStore.PREFIX;

  private static final int OPEN = 1;
  private static final int SHARD_SIZE = 2;

  private final OpenHistories histories;
  private final HistoryPartStore historyPartStore;
  private final VersionSpace<T> space;

  /** For caches with versions of that space. */
  public ReferencedParts(AtomicObjectFactory factory, VersionSpace<T> space, Duration timeout) {
    HistoryLimits any = HistoryLimits.of(IndexType.AUTO, SHARD_SIZE); // No version is added here.
    OpenHistories sequential = new OpenHistories(factory, space, any, OPEN, 0, null);
    this.histories = new OpenHistories(factory, space, any, OPEN, 0, sequential);
    this.historyPartStore = new HistoryPartStore(factory.store(), factory.clockwork(), 0, timeout);
    this.space = space;
  }

  /**
   * The entries that one history references at one moment; none if the history does not exist.
   * Costs one read, and one for each shard. Fails if a shard is replaced meanwhile.
   *
   * @param name of the atomic object of the history
   */
  public CompletionStage<Set<String>> of(String name) {
    return histories
        .<LookupResult>look(name, h -> h.look(VersionQuery.ALL))
        .thenCompose(
            lookupResult ->
                lookupResult.isPresent()
                    ? parts(lookupResult.get())
                    : CompletableFuture.completedFuture(Set.<String>of()));
  }

  private CompletionStage<Set<String>> parts(LookupResult lookupResult) {
    Set<String> parts = new TreeSet<>();
    for (StoredVersion storedVersion : lookupResult.items()) {
      if (storedVersion.value() == null && !storedVersion.removed()) {
        parts.add(HistoryPartStore.key(lookupResult.id(), storedVersion.pack()));
      }
    }
    CompletionStage<Set<String>> all = CompletableFuture.completedFuture(parts);
    for (ShardRef shard : lookupResult.shards()) {
      parts.add(HistoryPartStore.key(lookupResult.id(), shard.number()));
      all =
          all.thenCompose(done -> historyPartStore.read(lookupResult.id(), shard.number()))
              .thenApply(
                  found -> {
                    byte[] bytes = found.orElseThrow(HistoryReadException::new);
                    for (IndexEntry<T> indexEntry : IndexEntryCodec.read(space, bytes)) {
                      if (indexEntry.place() instanceof ValueLocation.Packed packed) {
                        parts.add(HistoryPartStore.key(lookupResult.id(), packed.pack()));
                      }
                    }
                    return parts;
                  });
    }
    return all;
  }
}
