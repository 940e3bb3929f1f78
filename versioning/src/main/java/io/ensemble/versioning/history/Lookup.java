package io.ensemble.versioning.history;

import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Answers queries from the content of a key's entry, and from shards. */
public final class Lookup {

  private Lookup() {}

  static <T> LookupResult of(VersionHistory<T> history, VersionQuery query) {
    VersionSpace<T> space = history.space;
    Predicate<IndexEntry<T>> wanted = wanted(space, query, history.horizon);
    List<IndexEntry<T>> found =
        ordered(history.items, query).stream()
            .filter(wanted)
            .filter(i -> !query.headsOnly() || history.heads.contains(i.version()))
            .limit(query.limit())
            .toList();
    return new LookupResult(
        history.id,
        found.stream().map(history::seen).toList(),
        query.asAdded()
            ? InsertionOrder.shards(history, query, found)
            : shards(history, query, found.size()),
        history.horizon == null || !history.hasCompacted ? null : space.write(history.horizon),
        history.floor == null ? null : space.write(history.floor),
        history.heads.stream().map(space::write).toList(),
        history.lastSequence,
        history.plan != null || !history.garbage.isEmpty());
  }

  /**
   * The items that a query requests.
   *
   * @param horizon all versions below it were removed
   */
  public static <T> Predicate<IndexEntry<T>> wanted(
      VersionSpace<T> space, VersionQuery query, @Nullable T horizon) {
    T lower = query.lower() == null ? null : space.read(query.lower());
    T upper = query.upper() == null ? null : space.read(query.upper());
    return item ->
        item.sequence() > query.after()
            && (horizon == null || space.compare(item.version(), horizon) >= 0)
            && (lower == null
                || space.isBelow(lower, item.version())
                || query.lowerIncluded() && lower.equals(item.version()))
            && (upper == null
                || space.isBelow(item.version(), upper)
                || query.upperIncluded() && upper.equals(item.version()));
  }

  private static <T> List<IndexEntry<T>> ordered(List<IndexEntry<T>> all, VersionQuery query) {
    return query.asAdded()
        ? all.stream().sorted(InsertionOrder.comparator()).toList()
        : directed(all, query);
  }

  private static <E> List<E> directed(List<E> all, VersionQuery query) {
    if (!query.descending()) {
      return all;
    }
    List<E> turned = new ArrayList<>(all);
    Collections.reverse(turned);
    return turned;
  }

  /**
   * The shards that may contain requested versions. If versions are totally ordered, or there is no
   * bound, the query requests all versions of a shard between the bounds. So it needs no more
   * shards than fill the limit, except for those at the ends. Items of the tail come before or
   * after all shards.
   */
  private static <T> List<ShardRef> shards(
      VersionHistory<T> history, VersionQuery query, int found) {
    VersionSpace<T> space = history.space;
    T lower = query.lower() == null ? null : space.read(query.lower());
    T upper = query.upper() == null ? null : space.read(query.upper());
    boolean line = space.isTotal() || lower == null && upper == null;
    boolean exact = lower != null && lower.equals(upper) && found == 1;
    if (query.headsOnly()
        || exact
        || line && query.descending() && found >= query.limit() && onlyTail(history, query)) {
      return List.of();
    }
    List<ShardRef> refs = new ArrayList<>();
    long surely = 0;
    for (IndexShard<T> shard : directed(history.shards, query)) {
      boolean apart =
          lower != null && space.compare(shard.last(), lower) < 0
              || upper != null && space.compare(shard.first(), upper) > 0
              || history.horizon != null && space.compare(shard.last(), history.horizon) < 0;
      if (apart) {
        continue;
      }
      refs.add(VersionHistory.ref(shard));
      boolean first = isWithin(history, lower, upper, shard.first());
      boolean last = isWithin(history, lower, upper, shard.last());
      surely += first && last ? shard.count() : first || last ? 1 : 0;
      if (line && surely >= query.limit()) {
        break;
      }
    }
    return refs;
  }

  /** Whether a version is strictly between the bounds. */
  private static <T> boolean isWithin(
      VersionHistory<T> history, @Nullable T lower, @Nullable T upper, T version) {
    VersionSpace<T> space = history.space;
    return (lower == null || space.compare(version, lower) > 0)
        && (upper == null || space.compare(version, upper) < 0)
        && (history.horizon == null || space.compare(version, history.horizon) >= 0);
  }

  /** Whether the versions found, from the largest down, are all above the shards. */
  private static <T> boolean onlyTail(VersionHistory<T> history, VersionQuery query) {
    return history.items.stream()
            .filter(wanted(history.space, query, history.horizon))
            .filter(i -> !history.isLate(i.version()))
            .limit(query.limit())
            .count()
        >= query.limit();
  }
}
