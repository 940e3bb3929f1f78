package io.ensemble.versioning.history;

import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ShardRef;
import java.util.Comparator;
import java.util.List;

/** Selects the shards for a query in the order of insertion. */
final class InsertionOrder {

  private InsertionOrder() {}

  static <T> Comparator<IndexEntry<T>> comparator() {
    return Comparator.comparingLong(IndexEntry::sequence);
  }

  /**
   * The shards that may contain one of the first additions. For the requested number of versions,
   * the last possible sequence number is known, so shards with only later additions are not read.
   *
   * @param here the first ones of those in the key's entry, not more than the limit
   */
  static <T> List<ShardRef> shards(
      VersionHistory<T> history, VersionQuery query, List<IndexEntry<T>> here) {
    List<IndexShard<T>> later =
        history.shards.stream()
            .filter(s -> s.lastSequence() > query.after() && !isApart(history, query, s))
            .sorted(Comparator.comparingLong(IndexShard::lastSequence))
            .toList();
    long until = until(history, query, later, here);
    return later.stream().filter(s -> s.firstSequence() <= until).map(VersionHistory::ref).toList();
  }

  private static <T> boolean isApart(
      VersionHistory<T> history, VersionQuery query, IndexShard<T> shard) {
    return query.lower() != null
            && history.space.compare(shard.last(), history.space.read(query.lower())) < 0
        || query.upper() != null
            && history.space.compare(shard.first(), history.space.read(query.upper())) > 0
        || history.horizon != null && history.space.compare(shard.last(), history.horizon) < 0;
  }

  /** The sequence number up to which there are as many versions as requested. */
  private static <T> long until(
      VersionHistory<T> history,
      VersionQuery query,
      List<IndexShard<T>> later,
      List<IndexEntry<T>> here) {
    long until =
        here.size() < query.limit() ? Long.MAX_VALUE : here.get(here.size() - 1).sequence();
    boolean bounded = query.lower() != null || query.upper() != null;
    long surely = 0;
    for (IndexShard<T> shard : bounded ? List.<IndexShard<T>>of() : later) {
      surely += isWanted(history, query, shard) ? shard.count() : 0;
      if (surely >= query.limit()) {
        return Math.min(until, shard.lastSequence());
      }
    }
    return until;
  }

  /** Whether the query requests all versions of the shard. */
  private static <T> boolean isWanted(
      VersionHistory<T> history, VersionQuery query, IndexShard<T> shard) {
    return shard.firstSequence() > query.after()
        && (history.horizon == null || history.space.compare(shard.first(), history.horizon) >= 0);
  }
}
