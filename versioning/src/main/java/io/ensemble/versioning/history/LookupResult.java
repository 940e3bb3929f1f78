package io.ensemble.versioning.history;

import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.StoredVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a key's entry says of a query.
 *
 * @param id by which the entries beside this one are known
 * @param items that stand there, in the query's direction and not more than its limit
 * @param shards that may hold more, in the query's direction
 * @param horizon those below it were removed by compaction; null if none were
 * @param maxima those that no other is above
 * @param lastSequence how many versions were ever added
 * @param planned whether something is to be moved out of the entry
 */
public record LookupResult(
    String id,
    List<StoredVersion> items,
    List<ShardRef> shards,
    byte @Nullable [] horizon,
    byte @Nullable [] floor,
    List<byte[]> maxima,
    long lastSequence,
    boolean planned) {

  /** Copies the lists. */
  public LookupResult {
    items = List.copyOf(items);
    shards = List.copyOf(shards);
    maxima = List.copyOf(maxima);
  }
}
