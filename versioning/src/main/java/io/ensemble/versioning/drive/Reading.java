package io.ensemble.versioning.drive;

import io.ensemble.objects.drive.Unwrapped;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.Item;
import io.ensemble.versioning.history.Look;
import io.ensemble.versioning.history.Lookup;
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
 * shards and packs that it names, each kind at once; those that an earlier look named are asked for
 * beside it. One that is no more was replaced after the look: then all begins anew. Thread-safe.
 */
final class Reading<T> {

  /** So often a reading begins anew. */
  static final int ATTEMPTS = 16;

  /** So many entries are asked for before it is known that they are still named. */
  private static final int MOST_AHEAD = 16;

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

  private final Histories histories;
  private final Histories afresh;
  private final Entries entries;
  private final VersionSpace<T> space;

  /**
   * @param afresh where a reading begins anew: a look at them is not older than what is gone
   */
  Reading(Histories histories, Histories afresh, Entries entries, VersionSpace<T> space) {
    this.histories = histories;
    this.afresh = afresh;
    this.entries = entries;
    this.space = space;
  }

  /** What a query finds; fails with {@link ReadingFailedException} after too many attempts. */
  CompletionStage<Page<T>> read(String name, Query query, boolean withValues) {
    Looking first = () -> histories.<Look>look(name, h -> h.look(query));
    Looking again = () -> afresh.<Look>look(name, h -> h.look(query));
    return read(query, withValues, first, again, ATTEMPTS, histories.before(name));
  }

  /** The same, of a look that raises the key's floor. */
  CompletionStage<Page<T>> raise(String name, byte[] floor, Query query) {
    Looking raising =
        () -> histories.<Look>change(name, h -> h.raise(floor, query)).thenApply(Optional::of);
    return read(query, true, raising, raising, ATTEMPTS, null);
  }

  private interface Looking {
    CompletionStage<Optional<Look>> look();
  }

  private CompletionStage<Page<T>> read(
      Query query,
      boolean withValues,
      Looking looking,
      Looking again,
      int attempts,
      @Nullable HistoryCalls before) {
    Parts<T> parts = new Parts<>(entries, space);
    CompletionStage<Optional<Look>> looked = looking.look();
    if (before != null) {
      askAhead(query, withValues, before, parts);
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
              Throwable cause = Unwrapped.of(failure);
              if (!(cause instanceof Parts.GoneException)) {
                return CompletableFuture.<Page<T>>failedFuture(cause);
              }
              return attempts > 1
                  ? read(query, withValues, again, again, attempts - 1, null)
                  : CompletableFuture.<Page<T>>failedFuture(new ReadingFailedException());
            })
        .thenCompose(Function.identity());
  }

  /**
   * Asks for what an earlier look named, beside the look of now, which most often names the same:
   * entries never change, so that it does not matter when they were read. Not on the thread of who
   * reads, which it may take long; what it fails with, the reading itself comes to, or does not
   * need.
   */
  private void askAhead(Query query, boolean withValues, HistoryCalls before, Parts<T> parts) {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(before)
            .<List<Optional<byte[]>>>thenComposeAsync(
                seen -> ahead(query, seen.look(query), withValues, parts), entries.executor());
  }

  private CompletionStage<List<Optional<byte[]>>> ahead(
      Query query, Look look, boolean withValues, Parts<T> parts) {
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
      Query query, Look look, boolean withValues, Parts<T> parts) {
    byte[] below = look.horizon();
    Predicate<Item<T>> wanted =
        Lookup.wanted(space, query, below == null ? null : space.read(below));
    return Window.<Ref, List<Item<T>>>all(
            new LinkedHashSet<>(look.shards()), ref -> parts.shard(look.id(), ref))
        .thenCompose(
            shards -> {
              List<Item<T>> items = new ArrayList<>();
              look.items().forEach(seen -> items.add(item(seen)));
              shards.values().forEach(s -> s.stream().filter(wanted).forEach(items::add));
              items.sort(order(query));
              List<Item<T>> page =
                  items.size() <= query.limit() ? items : items.subList(0, query.limit());
              return withValues
                  ? values(look.id(), page, parts)
                      .thenApply(values -> new Page<>(look, page, values))
                  : CompletableFuture.completedFuture(new Page<>(look, page, List.of()));
            });
  }

  private Comparator<Item<T>> order(Query query) {
    Comparator<Item<T>> order = (a, b) -> space.compare(a.version(), b.version());
    return query.asAdded()
        ? Comparator.comparingLong(Item::sequence)
        : query.descending() ? order.reversed() : order;
  }

  /** Whether a shard holds a version; empty if the shard is no more. */
  CompletionStage<Optional<Boolean>> holds(String id, Ref ref, T version) {
    return new Parts<>(entries, space).holds(id, ref, version);
  }

  private CompletionStage<List<Optional<byte[]>>> values(
      String id, List<Item<T>> items, Parts<T> parts) {
    return Window.<Long, List<byte[]>>all(packs(items), number -> parts.pack(id, number))
        .thenApply(read -> items.stream().map(item -> value(item.place(), read)).toList());
  }

  private static <T> Set<Long> packs(List<Item<T>> items) {
    Set<Long> packs = new LinkedHashSet<>();
    for (Item<T> item : items) {
      if (item.place() instanceof Place.Packed packed) {
        packs.add(packed.pack());
      }
    }
    return packs;
  }

  private static Optional<byte[]> value(Place place, Map<Long, List<byte[]>> packs) {
    if (place instanceof Place.Inline inline) {
      return Optional.of(inline.value().clone()); // The state that it stands in may be kept.
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
