package io.ensemble.versioning.drive;

import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.Lookup;
import io.ensemble.versioning.history.LookupResult;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads histories. A read of the key's entry determines the moment of the answer. Then the
 * referenced shards are read in parallel, and after them the packs. Entries that an earlier read
 * referenced are requested together with the first read. If an entry is missing, it was replaced
 * after the first read, and the whole read begins again. Thread-safe.
 */
final class VersionReader<T> {

  /** The maximum number of attempts of a read. */
  static final int ATTEMPTS = 16;

  /**
   * The maximum number of entries that are requested before it is known that they are still
   * referenced.
   */
  private static final int MOST_AHEAD = 16;

  /**
   * The result of a read.
   *
   * @param look null if the key has no history
   * @param values of the items, in their order; empty if they were not requested
   */
  record Page<T>(
      @Nullable LookupResult look, List<IndexEntry<T>> items, List<Optional<byte[]>> values) {

    static <T> Page<T> none() {
      return new Page<>(null, List.of(), List.of());
    }
  }

  private final OpenHistories histories;
  private final OpenHistories current;
  private final HistoryPartStore historyPartStore;
  private final VersionSpace<T> space;

  /**
   * @param current for later attempts: its reads are not older than the replacement of the missing
   *     entry
   */
  VersionReader(
      OpenHistories histories,
      OpenHistories current,
      HistoryPartStore historyPartStore,
      VersionSpace<T> space) {
    this.histories = histories;
    this.current = current;
    this.historyPartStore = historyPartStore;
    this.space = space;
  }

  /** The result of a query; fails with {@link HistoryReadException} after too many attempts. */
  CompletionStage<Page<T>> read(String name, VersionQuery query, boolean withValues) {
    Looking first = () -> histories.<LookupResult>look(name, h -> h.look(query));
    Looking again = () -> current.<LookupResult>look(name, h -> h.look(query));
    return read(query, withValues, first, again, ATTEMPTS, histories.before(name));
  }

  /** As {@link #read}, with a first read that raises the floor of the key. */
  CompletionStage<Page<T>> raise(String name, byte[] floor, VersionQuery query) {
    Looking raising =
        () ->
            histories
                .<LookupResult>change(name, h -> h.raise(floor, query))
                .thenApply(Optional::of);
    return read(query, true, raising, raising, ATTEMPTS, null);
  }

  private interface Looking {
    CompletionStage<Optional<LookupResult>> look();
  }

  private CompletionStage<Page<T>> read(
      VersionQuery query,
      boolean withValues,
      Looking looking,
      Looking again,
      int attempts,
      @Nullable HistoryCalls before) {
    HistoryPartReader<T> parts = new HistoryPartReader<>(historyPartStore, space);
    CompletionStage<Optional<LookupResult>> looked = looking.look();
    if (before != null) {
      prefetch(query, withValues, before, parts);
    }
    return looked
        .thenCompose(
            look ->
                look.isEmpty()
                    ? CompletableFuture.completedFuture(Page.<T>none())
                    : paged(query, look.get(), withValues, parts))
        .handle(
            (page, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(page);
              }
              Throwable cause = UnwrappedCause.of(failure);
              if (!(cause instanceof HistoryPartReader.GoneException)) {
                return CompletableFuture.<Page<T>>failedFuture(cause);
              }
              return attempts > 1
                  ? read(query, withValues, again, again, attempts - 1, null)
                  : CompletableFuture.<Page<T>>failedFuture(new HistoryReadException());
            })
        .thenCompose(Function.identity());
  }

  /**
   * Requests the entries that an earlier read referenced, concurrently with the present read, which
   * usually references the same entries. Entries never change, so the time of their read does not
   * matter. Runs on the executor, since it may take long for the thread of the caller. Failures are
   * ignored: the read itself encounters them, or does not need the entry.
   */
  private void prefetch(
      VersionQuery query, boolean withValues, HistoryCalls before, HistoryPartReader<T> parts) {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(before)
            .<List<Optional<byte[]>>>thenComposeAsync(
                storedVersion -> ahead(query, storedVersion.look(query), withValues, parts),
                historyPartStore.executor());
  }

  private CompletionStage<List<Optional<byte[]>>> ahead(
      VersionQuery query, LookupResult look, boolean withValues, HistoryPartReader<T> parts) {
    int shards = look.shards().size();
    return shards > MOST_AHEAD
        ? CompletableFuture.completedFuture(List.of())
        : paged(query, look, false, parts)
            .thenCompose(
                page ->
                    withValues && shards + packs(page.items()).size() <= MOST_AHEAD
                        ? values(look.id(), page.items(), parts)
                        : CompletableFuture.completedFuture(List.of()));
  }

  private CompletionStage<Page<T>> paged(
      VersionQuery query, LookupResult look, boolean withValues, HistoryPartReader<T> parts) {
    byte[] below = look.horizon();
    Predicate<IndexEntry<T>> wanted =
        Lookup.wanted(space, query, below == null ? null : space.read(below));
    return ParallelReads.<ShardRef, List<IndexEntry<T>>>all(
            new LinkedHashSet<>(look.shards()), ref -> parts.shard(look.id(), ref))
        .thenCompose(
            shards -> {
              List<IndexEntry<T>> items = new ArrayList<>();
              look.items().forEach(storedVersion -> items.add(item(storedVersion)));
              shards.values().forEach(s -> s.stream().filter(wanted).forEach(items::add));
              items.sort(order(query));
              List<IndexEntry<T>> page =
                  items.size() <= query.limit() ? items : items.subList(0, query.limit());
              return withValues
                  ? values(look.id(), page, parts)
                      .thenApply(values -> new Page<>(look, page, values))
                  : CompletableFuture.completedFuture(new Page<>(look, page, List.of()));
            });
  }

  private Comparator<IndexEntry<T>> order(VersionQuery query) {
    Comparator<IndexEntry<T>> order = (a, b) -> space.compare(a.version(), b.version());
    return query.asAdded()
        ? Comparator.comparingLong(IndexEntry::sequence)
        : query.descending() ? order.reversed() : order;
  }

  /** Whether a shard contains a version; empty if the shard no longer exists. */
  CompletionStage<Optional<Boolean>> holds(String id, ShardRef ref, T version) {
    return new HistoryPartReader<>(historyPartStore, space).holds(id, ref, version);
  }

  private CompletionStage<List<Optional<byte[]>>> values(
      String id, List<IndexEntry<T>> items, HistoryPartReader<T> parts) {
    return ParallelReads.<Long, List<byte[]>>all(packs(items), number -> parts.pack(id, number))
        .thenApply(
            read -> items.stream().map(indexEntry -> value(indexEntry.place(), read)).toList());
  }

  private static <T> Set<Long> packs(List<IndexEntry<T>> items) {
    Set<Long> packs = new LinkedHashSet<>();
    for (IndexEntry<T> indexEntry : items) {
      if (indexEntry.place() instanceof ValueLocation.Packed packed) {
        packs.add(packed.pack());
      }
    }
    return packs;
  }

  private static Optional<byte[]> value(ValueLocation place, Map<Long, List<byte[]>> packs) {
    if (place instanceof ValueLocation.Inline inline) {
      return Optional.of(inline.value().clone()); // The state that contains it may be cached.
    }
    if (!(place instanceof ValueLocation.Packed packed)) {
      return Optional.empty();
    }
    List<byte[]> values = Objects.requireNonNull(packs.get(packed.pack()));
    if (packed.index() < 0 || packed.index() >= values.size()) {
      throw new CorruptEntryException(
          "value " + packed.index() + " of pack " + packed.pack() + " is missing", null);
    }
    return Optional.of(values.get(packed.index()));
  }

  private IndexEntry<T> item(StoredVersion storedVersion) {
    ValueLocation place;
    if (storedVersion.value() != null) {
      place = new ValueLocation.Inline(storedVersion.value());
    } else {
      place =
          storedVersion.removed()
              ? new ValueLocation.Removed()
              : new ValueLocation.Packed(storedVersion.pack(), storedVersion.index());
    }
    return new IndexEntry<>(space.read(storedVersion.version()), storedVersion.sequence(), place);
  }
}
