package io.ensemble.versioning.drive;

import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexEntryCodec;
import io.ensemble.versioning.index.PackCodec;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.order.VersionSpace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The shards and packs of one read. An entry that was requested ahead, before it was known to be
 * referenced, is not requested again, unless it was missing. Thread-safe.
 */
final class HistoryPartReader<T> {

  /** An entry that the history referenced no longer exists. */
  static final class GoneException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final HistoryPartStore historyPartStore;
  private final VersionSpace<T> space;
  private final Map<String, CompletionStage<List<IndexEntry<T>>>> shards =
      new ConcurrentHashMap<>();
  private final Map<String, CompletionStage<List<byte[]>>> packs = new ConcurrentHashMap<>();

  HistoryPartReader(HistoryPartStore historyPartStore, VersionSpace<T> space) {
    this.historyPartStore = historyPartStore;
    this.space = space;
  }

  /** The versions of a shard; fails with {@link GoneException} if the shard no longer exists. */
  CompletionStage<List<IndexEntry<T>>> shard(String id, ShardRef ref) {
    return readOnce(
        shards,
        HistoryPartStore.key(id, ref.number()),
        () ->
            historyPartStore
                .read(id, ref.number())
                .thenApply(found -> items(id, ref, requirePresent(found))));
  }

  /** Whether a shard contains a version; empty if the shard no longer exists. */
  CompletionStage<Optional<Boolean>> holds(String id, ShardRef ref, T version) {
    return historyPartStore
        .read(id, ref.number())
        .thenApply(
            found ->
                found.map(
                    bytes ->
                        items(id, ref, bytes).stream().anyMatch(i -> i.version().equals(version))));
  }

  private List<IndexEntry<T>> items(String id, ShardRef ref, byte[] bytes) {
    try {
      return IndexEntryCodec.read(space, bytes);
    } catch (IllegalArgumentException e) {
      throw new CorruptEntryException("shard " + ref.number() + " of " + id + " cannot be read", e);
    }
  }

  /** The values of a pack; fails with {@link GoneException} if the pack no longer exists. */
  CompletionStage<List<byte[]>> pack(String id, long number) {
    return readOnce(
        packs,
        HistoryPartStore.key(id, number),
        () ->
            historyPartStore
                .read(id, number)
                .thenApply(found -> values(id, number, requirePresent(found))));
  }

  private static List<byte[]> values(String id, long number, byte[] bytes) {
    try {
      return PackCodec.read(bytes);
    } catch (IllegalArgumentException e) {
      throw new CorruptEntryException("pack " + number + " of " + id + " cannot be read", e);
    }
  }

  private static byte[] requirePresent(Optional<byte[]> found) {
    return found.orElseThrow(GoneException::new);
  }

  private static <R> CompletionStage<R> readOnce(
      Map<String, CompletionStage<R>> all, String key, Supplier<CompletionStage<R>> asking) {
    CompletionStage<R> ahead = all.get(key);
    if (ahead == null) {
      CompletionStage<R> asked = asking.get();
      all.put(key, asked);
      return asked;
    }
    return ahead
        .handle(
            (read, failure) ->
                failure == null ? CompletableFuture.completedFuture(read) : asking.get())
        .thenCompose(Function.identity());
  }
}
