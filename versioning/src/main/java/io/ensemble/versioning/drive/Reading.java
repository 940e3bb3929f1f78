package io.ensemble.versioning.drive;

import io.ensemble.versioning.history.Item;
import io.ensemble.versioning.history.ItemWire;
import io.ensemble.versioning.history.Look;
import io.ensemble.versioning.history.Lookup;
import io.ensemble.versioning.history.PackWire;
import io.ensemble.versioning.history.Place;
import io.ensemble.versioning.history.Query;
import io.ensemble.versioning.history.Ref;
import io.ensemble.versioning.history.Seen;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads histories: one look at the entry, which is the moment that the answer is of, then the
 * shards and packs that it names, each kind at once. One that is no more was replaced after the
 * look: then all begins anew. Thread-safe.
 */
final class Reading<T> {

  /** So often a reading begins anew. */
  static final int ATTEMPTS = 16;

  /**
   * What was read.
   *
   * @param look null if the key has no history
   * @param values of the items, in their order; empty where they were not wanted
   */
  record Page<T>(@Nullable Look look, List<Item<T>> items, List<Optional<byte[]>> values) {

    static <T> Page<T> none() {
      return new Page<>(null, List.of(), List.of());
    }
  }

  /** An entry that the history had named is no more. */
  private static final class GoneException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final Histories histories;
  private final Entries entries;
  private final VersionSpace<T> space;

  Reading(Histories histories, Entries entries, VersionSpace<T> space) {
    this.histories = histories;
    this.entries = entries;
    this.space = space;
  }

  /** What a query finds; fails with {@link ReadingFailedException} after too many attempts. */
  CompletionStage<Page<T>> read(String name, Query query, boolean withValues) {
    return read(
        name, query, withValues, () -> histories.<Look>look(name, h -> h.look(query)), ATTEMPTS);
  }

  /** The same, of a look that raises the key's floor. */
  CompletionStage<Page<T>> raise(String name, byte[] floor, Query query) {
    return read(
        name,
        query,
        true,
        () -> histories.<Look>change(name, h -> h.raise(floor, query)).thenApply(Optional::of),
        ATTEMPTS);
  }

  private interface Looking {
    CompletionStage<Optional<Look>> look();
  }

  private CompletionStage<Page<T>> read(
      String name, Query query, boolean withValues, Looking looking, int attempts) {
    return looking
        .look()
        .thenCompose(
            look ->
                look.isEmpty()
                    ? CompletableFuture.completedFuture(Page.<T>none())
                    : paged(query, look.get(), withValues))
        .handle(
            (page, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(page);
              }
              Throwable cause = Histories.unwrapped(failure);
              if (!(cause instanceof GoneException)) {
                return CompletableFuture.<Page<T>>failedFuture(cause);
              }
              return attempts > 1
                  ? read(name, query, withValues, looking, attempts - 1)
                  : CompletableFuture.<Page<T>>failedFuture(new ReadingFailedException());
            })
        .thenCompose(Function.identity());
  }

  private CompletionStage<Page<T>> paged(Query query, Look look, boolean withValues) {
    byte[] below = look.horizon();
    Predicate<Item<T>> wanted =
        Lookup.wanted(space, query, below == null ? null : space.read(below));
    List<CompletableFuture<List<Item<T>>>> shards =
        look.shards().stream().map(ref -> shard(look.id(), ref).toCompletableFuture()).toList();
    return all(shards)
        .thenCompose(
            done -> {
              List<Item<T>> items = new ArrayList<>();
              look.items().forEach(seen -> items.add(item(seen)));
              shards.forEach(s -> s.join().stream().filter(wanted).forEach(items::add));
              items.sort(order(query));
              List<Item<T>> page =
                  items.size() <= query.limit() ? items : items.subList(0, query.limit());
              return withValues
                  ? values(look.id(), page).thenApply(values -> new Page<>(look, page, values))
                  : CompletableFuture.completedFuture(new Page<>(look, page, List.of()));
            });
  }

  private Comparator<Item<T>> order(Query query) {
    Comparator<Item<T>> order = (a, b) -> space.compare(a.version(), b.version());
    return query.asAdded()
        ? Comparator.comparingLong(Item::sequence)
        : query.descending() ? order.reversed() : order;
  }

  private CompletionStage<List<Item<T>>> shard(String id, Ref ref) {
    return entries
        .read(id, ref.number())
        .thenApply(found -> ItemWire.read(space, found.orElseThrow(GoneException::new)));
  }

  /** Whether a shard holds a version; empty if the shard is no more. */
  CompletionStage<Optional<Boolean>> holds(String id, Ref ref, T version) {
    return entries
        .read(id, ref.number())
        .thenApply(
            found ->
                found.map(
                    bytes ->
                        ItemWire.read(space, bytes).stream()
                            .anyMatch(i -> i.version().equals(version))));
  }

  private CompletionStage<List<Optional<byte[]>>> values(String id, List<Item<T>> items) {
    Map<Long, CompletableFuture<List<byte[]>>> packs = new HashMap<>();
    for (Item<T> item : items) {
      if (item.place() instanceof Place.Packed packed) {
        packs.computeIfAbsent(
            packed.pack(),
            number ->
                entries
                    .read(id, number)
                    .thenApply(found -> PackWire.read(found.orElseThrow(GoneException::new)))
                    .toCompletableFuture());
      }
    }
    return all(packs.values())
        .thenApply(done -> items.stream().map(item -> value(item.place(), packs)).toList());
  }

  private static Optional<byte[]> value(
      Place place, Map<Long, CompletableFuture<List<byte[]>>> packs) {
    if (place instanceof Place.Inline inline) {
      return Optional.of(inline.value());
    }
    return place instanceof Place.Packed packed
        ? Optional.of(Objects.requireNonNull(packs.get(packed.pack())).join().get(packed.index()))
        : Optional.empty();
  }

  /** Fails as the first does that fails. */
  private static CompletionStage<Void> all(Collection<? extends CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new));
  }

  private Item<T> item(Seen seen) {
    Place place;
    if (seen.value() != null) {
      place = new Place.Inline(seen.value());
    } else {
      place = seen.removed() ? new Place.Removed() : new Place.Packed(seen.pack(), seen.index());
    }
    return new Item<>(space.read(seen.version()), seen.sequence(), place);
  }
}
