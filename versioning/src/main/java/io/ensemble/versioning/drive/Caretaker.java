package io.ensemble.versioning.drive;

import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.Item;
import io.ensemble.versioning.history.ItemWire;
import io.ensemble.versioning.history.PackWire;
import io.ensemble.versioning.history.Place;
import io.ensemble.versioning.history.Seen;
import io.ensemble.versioning.history.Shard;
import io.ensemble.versioning.history.ShardNote;
import io.ensemble.versioning.history.Work;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves out of the histories' entries what they plan. Any process may do so, several at a time, and
 * may die between any two steps: what a plan writes is always the same, and the plan stands until
 * it is done. Thread-safe; one task for each key at a time.
 */
final class Caretaker<T> {

  private static final Logger LOG = LoggerFactory.getLogger(Caretaker.class);

  private final Histories histories;
  private final Entries entries;
  private final VersionSpace<T> space;
  private final int kappa;
  private final boolean deltas;
  private final Map<String, CompletableFuture<Void>> busy = new ConcurrentHashMap<>();

  Caretaker(
      Histories histories, Entries entries, VersionSpace<T> space, int kappa, boolean deltas) {
    this.histories = histories;
    this.entries = entries;
    this.space = space;
    this.kappa = kappa;
    this.deltas = deltas;
  }

  /**
   * Does what is to be done for a key. The stage ends when there is nothing left, and fails where
   * that could not be done: the next one goes on from there.
   */
  CompletionStage<Void> tend(String name) {
    CompletableFuture<Void> own = new CompletableFuture<>();
    CompletableFuture<Void> other = busy.putIfAbsent(name, own);
    if (other != null) {
      return other.copy();
    }
    CompletableFuture.completedFuture(name)
        .thenCompose(this::begun) // Also what it throws ends the task.
        .whenComplete(
            (done, failure) -> {
              busy.remove(name);
              if (failure == null) {
                own.complete(null);
              } else {
                LOG.debug("What is to be moved stays for the next one; key={}", name, failure);
                own.completeExceptionally(failure);
              }
            });
    return own.copy();
  }

  /**
   * The same, also of what was planned before this was called, while a task came to its end: the
   * second one has begun later.
   */
  CompletionStage<Void> settle(String name) {
    return tend(name).thenCompose(done -> tend(name));
  }

  private CompletionStage<Void> begun(String name) {
    return histories
        .<Work>look(name, HistoryCalls::work)
        .thenCompose(
            work -> // It may have no history, and gets none.
            work.isEmpty() || work.get().isNothing()
                    ? CompletableFuture.completedFuture(null)
                    : histories
                        .<Work>change(name, HistoryCalls::confirmed)
                        .thenCompose(confirmed -> all(name, confirmed)));
  }

  private CompletionStage<Void> all(String name, Work work) {
    if (work.isNothing()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletionStage<Void> swept =
        work.garbage().isEmpty()
            ? CompletableFuture.completedFuture(null)
            : entries
                .remove(work.id(), work.garbage())
                .thenCompose(
                    gone ->
                        histories.change(
                            name,
                            h -> {
                              h.swept(work.id(), work.garbage());
                              return null;
                            }));
    if (work.plan() == 0) {
      return swept.thenCompose(done -> begun(name));
    }
    return swept
        .thenCompose(done -> carriedOut(work))
        .thenCompose(
            notes ->
                notes.isPresent()
                    ? histories.<Work>change(
                        name,
                        h ->
                            h.done(work.id(), work.plan(), notes.get(), written(work, notes.get())))
                    : another(name, work))
        .thenCompose(next -> all(name, next));
  }

  private static List<Long> written(Work work, List<ShardNote> notes) {
    if (work.shard() == 0) {
      return work.packs().stream().map(Work.Pack::number).toList();
    }
    return work.replaced() == 0
        ? List.of(work.shard())
        : notes.stream().map(ShardNote::number).toList();
  }

  /** Somebody else has carried the plan out; if not, an entry is lost that it needs. */
  private CompletionStage<Work> another(String name, Work work) {
    return histories
        .change(name, HistoryCalls::work)
        .thenApply(
            next -> {
              if (next.plan() == work.plan()) {
                throw new ReadingFailedException(
                    "the entry of shard " + work.replaced() + " is gone");
              }
              return next;
            });
  }

  /** Empty if an entry is gone that the plan replaces. */
  private CompletionStage<Optional<List<ShardNote>>> carriedOut(Work work) {
    if (work.shard() == 0) {
      CompletableFuture<?>[] writes =
          work.packs().stream()
              .map(p -> entries.write(work.id(), p.number(), PackWire.write(p.values(), deltas)))
              .map(CompletionStage::toCompletableFuture)
              .toArray(CompletableFuture[]::new);
      return CompletableFuture.allOf(writes).thenApply(done -> Optional.of(List.of()));
    }
    List<Item<T>> own = work.items().stream().map(this::item).toList();
    if (work.replaced() == 0) {
      return written(work.id(), work.shard(), own).thenApply(note -> Optional.of(List.of()));
    }
    return entries
        .read(work.id(), work.replaced())
        .thenCompose(
            found -> {
              if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
              }
              return merged(work.id(), work.shard(), ItemWire.read(space, found.get()), own)
                  .thenApply(Optional::of);
            });
  }

  private CompletionStage<List<ShardNote>> merged(
      String id, long number, List<Item<T>> before, List<Item<T>> late) {
    List<Item<T>> all = new ArrayList<>(before);
    all.addAll(late);
    all.sort((a, b) -> space.compare(a.version(), b.version()));
    if (all.size() <= kappa) {
      return written(id, number, all).thenApply(List::of);
    }
    int half = all.size() / 2;
    return written(id, number, all.subList(0, half))
        .thenCombine(
            written(id, number + 1, all.subList(half, all.size())),
            (one, two) -> List.of(one, two));
  }

  private CompletionStage<ShardNote> written(String id, long number, List<Item<T>> items) {
    Shard<T> shard = Shard.of(number, items);
    ShardNote note =
        new ShardNote(
            number,
            space.write(shard.first()),
            space.write(shard.last()),
            shard.count(),
            shard.firstSequence(),
            shard.lastSequence(),
            shard.packs());
    return entries.write(id, number, ItemWire.write(space, items)).thenApply(done -> note);
  }

  private Item<T> item(Seen seen) {
    Place place =
        seen.removed() ? new Place.Removed() : new Place.Packed(seen.pack(), seen.index());
    return new Item<>(space.read(seen.version()), seen.sequence(), place);
  }
}
