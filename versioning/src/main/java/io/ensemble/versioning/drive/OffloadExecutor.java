package io.ensemble.versioning.drive;

import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.OffloadTask;
import io.ensemble.versioning.index.EncodedShard;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexEntryCodec;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.PackCodec;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
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
 * Moves parts out of the entries of histories as their plans say. Any process may do so, several
 * concurrently, and may die between any two steps: a plan always writes the same content, and
 * remains until it is done. Thread-safe; one task for each key at a time.
 */
final class OffloadExecutor<T> {

  private static final Logger LOG = LoggerFactory.getLogger(OffloadExecutor.class);

  private final OpenHistories histories;
  private final HistoryPartStore historyPartStore;
  private final VersionSpace<T> space;
  private final int shardSize;
  private final boolean deltas;
  private final Map<String, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

  OffloadExecutor(
      OpenHistories histories,
      HistoryPartStore historyPartStore,
      VersionSpace<T> space,
      int shardSize,
      boolean deltas) {
    this.histories = histories;
    this.historyPartStore = historyPartStore;
    this.space = space;
    this.shardSize = shardSize;
    this.deltas = deltas;
  }

  /**
   * Performs all offload tasks of a key. The stage completes when none is left, and fails if a task
   * failed; the next run continues from there.
   */
  CompletionStage<Void> offload(String name) {
    return offload(name, false);
  }

  /**
   * As {@link #offload(String)}, after a step of this process that has found something to move. So
   * it need not be read first whether there is anything.
   */
  CompletionStage<Void> offloadPlanned(String name) {
    return offload(name, true);
  }

  private CompletionStage<Void> offload(String name, boolean planned) {
    CompletableFuture<Void> own = new CompletableFuture<>();
    CompletableFuture<Void> other = running.putIfAbsent(name, own);
    if (other != null) {
      return other.copy();
    }
    CompletableFuture.completedFuture(name)
        .thenCompose( // An exception also ends the task.
            key -> planned && histories.isOpen(key) ? confirm(key) : startTask(key))
        .whenComplete(
            (done, failure) -> {
              running.remove(name);
              if (failure == null) {
                own.complete(null);
              } else {
                LOG.debug("Offload failed, the next offload retries it; key={}", name, failure);
                own.completeExceptionally(failure);
              }
            });
    return own.copy();
  }

  /**
   * As {@link #offload}, including a plan made before this call while a task was about to end: the
   * second run begins later.
   */
  CompletionStage<Void> settle(String name) {
    return offload(name).thenCompose(done -> offload(name));
  }

  private CompletionStage<Void> startTask(String name) {
    return histories
        .<OffloadTask>look(name, HistoryCalls::work)
        .thenCompose(
            offloadTask -> // The key may have no history, and must not get one.
            offloadTask.isEmpty() || offloadTask.get().isNothing()
                    ? CompletableFuture.completedFuture(null)
                    : confirm(name));
  }

  private CompletionStage<Void> confirm(String name) {
    return histories
        .<OffloadTask>change(name, HistoryCalls::confirmed)
        .thenCompose(confirmed -> all(name, confirmed));
  }

  private CompletionStage<Void> all(String name, OffloadTask offloadTask) {
    if (offloadTask.isNothing()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletionStage<Void> swept =
        offloadTask.garbage().isEmpty()
            ? CompletableFuture.completedFuture(null)
            : historyPartStore
                .remove(offloadTask.id(), offloadTask.garbage())
                .thenCompose(
                    gone ->
                        histories.change(
                            name,
                            h -> {
                              h.swept(offloadTask.id(), offloadTask.garbage());
                              return null;
                            }));
    if (offloadTask.plan() == 0) {
      return swept.thenCompose(done -> startTask(name));
    }
    return swept
        .thenCompose(done -> writeParts(offloadTask))
        .thenCompose(
            notes ->
                notes.isPresent()
                    ? histories.<OffloadTask>change(
                        name,
                        h ->
                            h.done(
                                offloadTask.id(),
                                offloadTask.plan(),
                                notes.get(),
                                written(offloadTask, notes.get())))
                    : nextAfterOther(name, offloadTask))
        .thenCompose(next -> all(name, next));
  }

  private static List<Long> written(OffloadTask offloadTask, List<EncodedShard> notes) {
    if (offloadTask.shard() == 0) {
      return offloadTask.packs().stream().map(OffloadTask.Pack::number).toList();
    }
    return offloadTask.replaced() == 0
        ? List.of(offloadTask.shard())
        : notes.stream().map(EncodedShard::number).toList();
  }

  /** Another process has carried out the plan; if not, an entry that the plan needs is lost. */
  private CompletionStage<OffloadTask> nextAfterOther(String name, OffloadTask offloadTask) {
    return histories
        .change(name, HistoryCalls::work)
        .thenApply(
            next -> {
              if (next.plan() == offloadTask.plan()) {
                throw new HistoryReadException(
                    "the entry of shard " + offloadTask.replaced() + " is missing");
              }
              return next;
            });
  }

  /** Empty if an entry that the plan replaces is missing. */
  private CompletionStage<Optional<List<EncodedShard>>> writeParts(OffloadTask offloadTask) {
    if (offloadTask.shard() == 0) {
      CompletableFuture<?>[] writes =
          offloadTask.packs().stream()
              .map(
                  p ->
                      historyPartStore.write(
                          offloadTask.id(), p.number(), PackCodec.write(p.values(), deltas)))
              .map(CompletionStage::toCompletableFuture)
              .toArray(CompletableFuture[]::new);
      return CompletableFuture.allOf(writes).thenApply(done -> Optional.of(List.of()));
    }
    List<IndexEntry<T>> own = offloadTask.items().stream().map(this::item).toList();
    if (offloadTask.replaced() == 0) {
      return written(offloadTask.id(), offloadTask.shard(), own)
          .thenApply(note -> Optional.of(List.of()));
    }
    return historyPartStore
        .read(offloadTask.id(), offloadTask.replaced())
        .thenCompose(
            found -> {
              if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
              }
              return merged(
                      offloadTask.id(),
                      offloadTask.shard(),
                      IndexEntryCodec.read(space, found.get()),
                      own)
                  .thenApply(Optional::of);
            });
  }

  private CompletionStage<List<EncodedShard>> merged(
      String id, long number, List<IndexEntry<T>> before, List<IndexEntry<T>> late) {
    List<IndexEntry<T>> all = new ArrayList<>(before);
    all.addAll(late);
    all.sort((a, b) -> space.compare(a.version(), b.version()));
    if (all.size() <= shardSize) {
      return written(id, number, all).thenApply(List::of);
    }
    int half = all.size() / 2;
    return written(id, number, all.subList(0, half))
        .thenCombine(
            written(id, number + 1, all.subList(half, all.size())),
            (one, two) -> List.of(one, two));
  }

  private CompletionStage<EncodedShard> written(String id, long number, List<IndexEntry<T>> items) {
    IndexShard<T> shard = IndexShard.of(number, items);
    EncodedShard note =
        new EncodedShard(
            number,
            space.write(shard.first()),
            space.write(shard.last()),
            shard.count(),
            shard.firstSequence(),
            shard.lastSequence(),
            shard.packs());
    return historyPartStore
        .write(id, number, IndexEntryCodec.write(space, items))
        .thenApply(done -> note);
  }

  private IndexEntry<T> item(StoredVersion storedVersion) {
    ValueLocation place =
        storedVersion.removed()
            ? new ValueLocation.Removed()
            : new ValueLocation.Packed(storedVersion.pack(), storedVersion.index());
    return new IndexEntry<>(space.read(storedVersion.version()), storedVersion.sequence(), place);
  }
}
