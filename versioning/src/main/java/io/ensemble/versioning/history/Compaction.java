package io.ensemble.versioning.history;

import io.ensemble.versioning.Retention;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Removes older versions of a key: on request, or as far as the retention does not keep them. */
final class Compaction {

  private Compaction() {}

  /**
   * Removes the versions below {@code wanted}, or below the first head (a version with no version
   * above it) if that is lower.
   */
  static <T> void compactTo(VersionHistory<T> history, T wanted) {
    VersionSpace<T> space = history.space;
    T first = history.heads.isEmpty() ? wanted : history.heads.get(0);
    T to = space.compare(first, wanted) < 0 ? first : wanted;
    if (history.horizon == null || space.compare(history.horizon, to) < 0) {
      history.horizon = to;
      history.hasCompacted |= hasBelow(history, to);
      removeBelow(history, to);
    }
  }

  private static <T> boolean hasBelow(VersionHistory<T> history, T version) {
    VersionSpace<T> space = history.space;
    return !history.items.isEmpty() && space.compare(history.items.get(0).version(), version) < 0
        || !history.shards.isEmpty() && space.compare(history.shards.get(0).first(), version) < 0;
  }

  /**
   * Repeats the removal after a shard was rewritten as two: one of them may be below the horizon.
   */
  static <T> void repeat(VersionHistory<T> history) {
    T horizon = history.horizon;
    if (horizon != null) {
      removeBelow(history, horizon);
    }
  }

  private static <T> void removeBelow(VersionHistory<T> history, T version) {
    VersionSpace<T> space = history.space;
    Set<Long> packs = new LinkedHashSet<>();
    while (!history.shards.isEmpty() && space.compare(history.shards.get(0).last(), version) < 0) {
      IndexShard<T> gone = history.shards.remove(0);
      history.garbage.add(gone.number());
      packs.addAll(gone.packs());
    }
    List<IndexEntry<T>> gone =
        history.items.stream().takeWhile(i -> space.compare(i.version(), version) < 0).toList();
    history.drop(gone);
    gone.forEach(i -> addPack(i, packs));
    history.abandonPlanWithoutSubject();
    history.removeUsed(packs);
    history.garbage.addAll(packs);
    history.makePlan();
  }

  static void addPack(IndexEntry<?> indexEntry, Set<Long> packs) {
    if (indexEntry.place() instanceof ValueLocation.Packed packed) {
      packs.add(packed.pack());
    }
  }

  /**
   * Removes the versions that the retention of the key, or of the cache, does not keep.
   *
   * @param ofCache null if the cache keeps all versions
   * @param now by the caller's clock, not the highest version seen: a version that is far ahead
   *     must not make others count as old
   */
  static <T> void retain(VersionHistory<T> history, @Nullable Retention ofCache, long now) {
    Retention retention = history.retention != null ? history.retention : ofCache;
    if (retention == null) {
      return;
    }
    T bound = firstWithinNumber(history, retention.mostVersions());
    if (retention.mostMillis() > 0) {
      bound = later(history, bound, latestAt(history, now - retention.mostMillis()));
    }
    if (retention.leastMillis() > 0 && bound != null) {
      T kept = latestAt(history, now - retention.leastMillis());
      bound = kept != null && history.space.compare(bound, kept) < 0 ? bound : kept;
    }
    if (bound != null) {
      compactTo(history, bound);
    }
  }

  private static <T> @Nullable T later(VersionHistory<T> history, @Nullable T a, @Nullable T b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return history.space.compare(a, b) < 0 ? b : a;
  }

  /**
   * The first version to keep if {@code most} last ones are kept; null if those are all. A shard is
   * kept as a whole.
   */
  private static <T> @Nullable T firstWithinNumber(VersionHistory<T> history, int most) {
    long surplus =
        history.items.size() + history.shards.stream().mapToLong(IndexShard::count).sum() - most;
    if (most == 0 || surplus <= 0) {
      return null;
    }
    int late = 0;
    for (IndexShard<T> shard : history.shards) {
      int within = late;
      while (within < history.items.size()
          && history.space.compare(history.items.get(within).version(), shard.last()) <= 0) {
        within++;
      }
      int before = Math.max(0, below(history, shard.first()) - late);
      if (surplus < before) {
        break; // Begins at a late version before the shard.
      }
      long all = shard.count() + (within - late);
      if (surplus < all) {
        return shard.first();
      }
      surplus -= all;
      late = within;
    }
    return history.items.get(late + (int) surplus).version();
  }

  /** The number of versions in the entry that are below a version. */
  private static <T> int below(VersionHistory<T> history, T version) {
    int position = history.position(version);
    return position < 0 ? -position - 1 : position;
  }

  /**
   * The latest version at that time, or an earlier one if that is in a shard; null if there was
   * none.
   */
  private static <T> @Nullable T latestAt(VersionHistory<T> history, long millis) {
    int late = history.lateCount();
    for (int i = history.items.size() - 1; i >= late; i--) {
      T version = history.items.get(i).version();
      if (history.space.millis(version).orElse(Long.MAX_VALUE) <= millis) {
        return version;
      }
    }
    for (int i = history.shards.size() - 1; i >= 0; i--) {
      T first = history.shards.get(i).first();
      if (history.space.millis(first).orElse(Long.MAX_VALUE) <= millis) {
        return first;
      }
    }
    return null;
  }
}
