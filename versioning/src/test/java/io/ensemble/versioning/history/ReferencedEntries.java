package io.ensemble.versioning.history;

import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.record.StateLocation;
import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the entries besides the histories that are referenced, for tests. */
public final class ReferencedEntries {

  private ReferencedEntries() {}

  /**
   * The entries that the histories of a store refer to. The state of each history must be in its
   * root entry. A shard that is wholly below the horizon does not count as referenced.
   */
  public static <T> Set<String> referred(
      VersionSpace<T> space, HistoryLimits limits, Map<String, Entry> entries) {
    Set<String> keys = new TreeSet<>();
    entries.forEach(
        (key, entry) -> {
          if (key.startsWith("object/versions/")
              && RootCodec.root(entry.value()).body() instanceof StateLocation.Inline inline) {
            VersionHistory<T> history =
                new VersionHistoryCodec<>(space, limits).read(inline.state().array());
            List<IndexShard<T>> shards =
                history.shards.stream()
                    .filter(
                        s ->
                            history.horizon == null
                                || space.compare(s.last(), history.horizon) >= 0)
                    .toList();
            shards.forEach(s -> keys.add("part/" + history.id + "/" + s.number()));
            shards.stream()
                .flatMap(s -> s.packs().stream())
                .forEach(p -> keys.add("part/" + history.id + "/" + p));
            history.items.stream()
                .filter(i -> i.place() instanceof ValueLocation.Packed)
                .forEach(
                    i ->
                        keys.add(
                            "part/"
                                + history.id
                                + "/"
                                + ((ValueLocation.Packed) i.place()).pack()));
          }
        });
    return keys;
  }
}
