package io.ensemble.versioning.history;

import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.StoredVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a key's entry to a query.
 *
 * @param id identifies the entries beside the entry of the key
 * @param items in the entry, in the direction of the query and not more than its limit
 * @param shards that may contain more, in the direction of the query
 * @param horizon versions below it were removed by compaction; null if none were, so also if
 *     compaction found none to remove
 * @param heads the versions with no version above them
 * @param lastSequence the number of versions ever added
 * @param planned whether a part is to be moved out of the entry
 */
public record LookupResult(
    String id,
    List<StoredVersion> items,
    List<ShardRef> shards,
    byte @Nullable [] horizon,
    byte @Nullable [] floor,
    List<byte[]> heads,
    long lastSequence,
    boolean planned) {

  /** Copies the lists. */
  public LookupResult {
    items = List.copyOf(items);
    shards = List.copyOf(shards);
    heads = List.copyOf(heads);
  }
}
