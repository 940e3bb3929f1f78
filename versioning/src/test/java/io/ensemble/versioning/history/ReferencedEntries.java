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

/** Which entries beside the histories something refers to, for tests. */
public final class ReferencedEntries {

  private ReferencedEntries() {}

  /**
   * Of all histories that are in a store, whose states stand in their first entries: shards of
   * which nothing is left are none of them.
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
