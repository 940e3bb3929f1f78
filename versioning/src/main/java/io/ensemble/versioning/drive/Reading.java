package io.ensemble.versioning.drive;

import io.ensemble.objects.drive.Unwrapped;
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
              Throwable cause = Unwrapped.of(failure);
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
    return Window.<Ref, List<Item<T>>>all(
            new LinkedHashSet<>(look.shards()), ref -> shard(look.id(), ref))
        .thenCompose(
            shards -> {
              List<Item<T>> items = new ArrayList<>();
              look.items().forEach(seen -> items.add(item(seen)));
              shards.values().forEach(s -> s.stream().filter(wanted).forEach(items::add));
              Comparator<Item<T>> order = (a, b) -> space.compare(a.version(), b.version());
              items.sort(query.descending() ? order.reversed() : order);
              List<Item<T>> page =
                  items.size() <= query.limit() ? items : items.subList(0, query.limit());
              return withValues
                  ? values(look.id(), page).thenApply(values -> new Page<>(look, page, values))
                  : CompletableFuture.completedFuture(new Page<>(look, page, List.of()));
            });
  }

  private CompletionStage<List<Item<T>>> shard(String id, Ref ref) {
    return entries
        .read(id, ref.number())
        .thenApply(found -> items(id, ref, found.orElseThrow(GoneException::new)));
  }

  private List<Item<T>> items(String id, Ref ref, byte[] bytes) {
    try {
      return ItemWire.read(space, bytes);
    } catch (IllegalArgumentException e) {
      throw new DamagedException("shard " + ref.number() + " of " + id + " cannot be read", e);
    }
  }

  /** Whether a shard holds a version; empty if the shard is no more. */
  CompletionStage<Optional<Boolean>> holds(String id, Ref ref, T version) {
    return entries
        .read(id, ref.number())
        .thenApply(
            found ->
                found.map(
                    bytes ->
                        items(id, ref, bytes).stream().anyMatch(i -> i.version().equals(version))));
  }

  private CompletionStage<List<Optional<byte[]>>> values(String id, List<Item<T>> items) {
    Set<Long> packs = new LinkedHashSet<>();
    for (Item<T> item : items) {
      if (item.place() instanceof Place.Packed packed) {
        packs.add(packed.pack());
      }
    }
    return Window.<Long, List<byte[]>>all(packs, number -> pack(id, number))
        .thenApply(read -> items.stream().map(item -> value(item.place(), read)).toList());
  }

  private CompletionStage<List<byte[]>> pack(String id, long number) {
    return entries
        .read(id, number)
        .thenApply(
            found -> {
              byte[] bytes = found.orElseThrow(GoneException::new);
              try {
                return PackWire.read(bytes);
              } catch (IllegalArgumentException e) {
                throw new DamagedException("pack " + number + " of " + id + " cannot be read", e);
              }
            });
  }

  private static Optional<byte[]> value(Place place, Map<Long, List<byte[]>> packs) {
    if (place instanceof Place.Inline inline) {
      return Optional.of(inline.value());
    }
    if (!(place instanceof Place.Packed packed)) {
      return Optional.empty();
    }
    List<byte[]> values = Objects.requireNonNull(packs.get(packed.pack()));
    if (packed.index() < 0 || packed.index() >= values.size()) {
      throw new DamagedException(
          "value " + packed.index() + " of pack " + packed.pack() + " is missing", null);
    }
    return Optional.of(values.get(packed.index()));
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
