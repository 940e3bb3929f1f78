package io.ensemble.versioning.history;

import io.ensemble.versioning.history.OffloadPlan.Merging;
import io.ensemble.versioning.history.OffloadPlan.Packing;
import io.ensemble.versioning.history.OffloadPlan.Parcel;
import io.ensemble.versioning.history.OffloadPlan.Splitting;
import io.ensemble.versioning.index.EncodedShard;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides which parts are moved out of a key's entry, and records completed moves. */
final class OffloadPlanner {

  /**
   * The maximum size of a plan, which is the result of a call; a single longer value is permitted.
   */
  private static final int STEP_BYTES = 128 << 10;

  private static final int OVERHEAD = 40;

  /** Fewer values than these may have more bytes in the entry. */
  private static final int FEW_VALUES = 4;

  /** The maximum bytes of versions in the key's entry, if there are more than a few. */
  private static final int TAIL_BYTES = 128 << 10;

  private static final int SHORT_TAIL = 16;

  /** The number of entries that are removed at a time. */
  private static final int SWEPT = 500;

  private OffloadPlanner() {}

  static <T> @Nullable OffloadPlan<T> next(VersionHistory<T> history) {
    if (!history.limits.packs()) {
      return null;
    }
    OffloadPlan<T> packing = packing(history);
    if (packing != null) {
      return packing;
    }
    OffloadPlan<T> splitting = splitting(history);
    return splitting != null ? splitting : merging(history);
  }

  /** The last value remains, unless it is large: it is read most often. */
  private static <T> @Nullable OffloadPlan<T> packing(VersionHistory<T> history) {
    HistoryLimits limits = history.limits;
    boolean blocks = blocksSplitting(history);
    if (fitsWindow(limits, history.inlineCount, history.inlineBytes) && !blocks) {
      return null;
    }
    List<IndexEntry<T>> inline = history.items.stream().filter(IndexEntry::isInline).toList();
    boolean keepsLast =
        !inline.isEmpty()
            && inline.get(inline.size() - 1) == last(history.items)
            && last(inline).inlineBytes() <= limits.largestWindow();
    List<IndexEntry<T>> movable = keepsLast ? inline.subList(0, inline.size() - 1) : inline;
    long bytes = movable.stream().mapToLong(IndexEntry::inlineBytes).sum();
    if (movable.isEmpty() || fitsWindow(limits, movable.size(), bytes) && !blocks) {
      return null;
    }
    List<Parcel<T>> parcels = new ArrayList<>();
    List<T> versions = new ArrayList<>();
    long size = 0;
    long all = 0;
    for (IndexEntry<T> indexEntry : movable) {
      all += OVERHEAD + indexEntry.inlineBytes();
      if (all > STEP_BYTES && indexEntry != movable.get(0)) {
        break;
      }
      if (!versions.isEmpty()
          && (size + indexEntry.inlineBytes() > limits.packBytes()
              || versions.size() >= limits.packCount())) {
        parcels.add(new Parcel<>(++history.lastNumber, versions));
        versions = new ArrayList<>();
        size = 0;
      }
      versions.add(indexEntry.version());
      size += indexEntry.inlineBytes();
    }
    parcels.add(new Parcel<>(++history.lastNumber, versions));
    return new Packing<>(parcels);
  }

  /**
   * Whether so many values may remain in the entry. A pack of a few values costs as many requests
   * as a larger one, so a few values may have more bytes.
   */
  private static boolean fitsWindow(HistoryLimits limits, int count, long bytes) {
    return count <= limits.windowCount()
        && bytes <= (count < FEW_VALUES ? limits.largestWindow() : limits.windowBytes());
  }

  /**
   * Whether a value is the reason why the first items of a long tail cannot be moved. A head is
   * another reason, which packs do not end: they would have one value each.
   */
  private static <T> boolean blocksSplitting(VersionHistory<T> history) {
    List<IndexEntry<T>> tail = tailOf(history);
    return isLong(history, tail)
        && firstOf(history, tail)
            .filter(i -> i.isInline() || history.heads.contains(i.version()))
            .findFirst()
            .filter(i -> !history.heads.contains(i.version()))
            .isPresent();
  }

  private static <E> E last(List<E> all) {
    return all.get(all.size() - 1);
  }

  private static <T> List<IndexEntry<T>> late(VersionHistory<T> history) {
    return history.items.subList(0, history.lateCount());
  }

  private static <T> List<IndexEntry<T>> tailOf(VersionHistory<T> history) {
    return history.items.subList(history.lateCount(), history.items.size());
  }

  /**
   * Takes the first items of the tail, up to one that is not packed or is a head. They are added to
   * the last shard while it has room for them, so that few shards are small.
   */
  private static <T> @Nullable OffloadPlan<T> splitting(VersionHistory<T> history) {
    List<IndexEntry<T>> tail = tailOf(history);
    if (!isLong(history, tail)) {
      return null;
    }
    List<IndexEntry<T>> part =
        firstOf(history, tail)
            .takeWhile(i -> !i.isInline() && !history.heads.contains(i.version()))
            .toList();
    if (part.size() < 2) {
      return null;
    }
    List<IndexEntry<T>> moved = fitting(history, part);
    IndexShard<T> open = history.shards.isEmpty() ? null : last(history.shards);
    boolean hasRoom = open != null && hasRoom(history, open, moved);
    return new Splitting<>(
        ++history.lastNumber,
        open != null && hasRoom ? open.number() : 0,
        moved.get(0).version(),
        last(moved).version());
  }

  /** The items of a long tail that are to be moved, as far as possible. */
  private static <T> Stream<IndexEntry<T>> firstOf(
      VersionHistory<T> history, List<IndexEntry<T>> tail) {
    return tail.stream().limit(Math.min(history.limits.shardSize(), tail.size() - tail.size() / 5));
  }

  /** Whether items fit into a shard, by number and by bytes, estimated from their last version. */
  private static <T> boolean hasRoom(
      VersionHistory<T> history, IndexShard<T> open, List<IndexEntry<T>> moved) {
    long count = (long) open.count() + moved.size();
    int bytes = OVERHEAD + history.space.write(last(moved).version()).length;
    return count <= history.limits.shardSize() && count * bytes <= STEP_BYTES;
  }

  /** By number; for long versions by bytes, estimated from the last version. */
  private static <T> boolean isLong(VersionHistory<T> history, List<IndexEntry<T>> tail) {
    if (tail.size() <= SHORT_TAIL) {
      return tail.size() > history.limits.longestTail();
    }
    long bytes = (long) tail.size() * history.space.write(last(tail).version()).length;
    return tail.size() > history.limits.longestTail() || bytes > TAIL_BYTES;
  }

  /** The first items, as many as one plan moves, and at least two if there are so many. */
  private static <T> List<IndexEntry<T>> fitting(
      VersionHistory<T> history, List<IndexEntry<T>> items) {
    long bytes = 0;
    for (int i = 0; i < items.size(); i++) {
      bytes += OVERHEAD + history.space.write(items.get(i).version()).length;
      if (bytes > STEP_BYTES && i >= 2) {
        return items.subList(0, i);
      }
    }
    return items;
  }

  /** Chooses the shard with the most late items. */
  private static <T> @Nullable OffloadPlan<T> merging(VersionHistory<T> history) {
    Map<Long, List<IndexEntry<T>>> late =
        late(history).stream()
            .filter(i -> !i.isInline() && !history.heads.contains(i.version()))
            .collect(Collectors.groupingBy(i -> history.home(i.version()).number()));
    if (late.values().stream().mapToLong(List::size).sum() <= history.limits.late()) {
      return null;
    }
    Map.Entry<Long, List<IndexEntry<T>>> most =
        late.entrySet().stream()
            .max(Map.Entry.comparingByValue(Comparator.comparingInt(List::size)))
            .orElseThrow();
    history.lastNumber += 2;
    return new Merging<>(
        history.lastNumber - 1,
        most.getKey(),
        fitting(history, most.getValue()).stream().map(IndexEntry::version).toList());
  }

  static <T> OffloadTask work(VersionHistory<T> history) {
    OffloadPlan<T> plan = history.plan;
    List<Long> garbage = history.garbage.stream().limit(SWEPT).toList();
    if (plan instanceof Packing<T> packing) {
      List<OffloadTask.Pack> packs =
          packing.parcels().stream().map(p -> pack(history, p)).filter(p -> p != null).toList();
      return new OffloadTask(history.id, plan.number(), packs, 0, List.of(), 0, garbage);
    }
    if (plan instanceof Splitting<T> splitting) {
      return new OffloadTask(
          history.id,
          plan.number(),
          List.of(),
          plan.number(),
          seen(history, of(history, splitting)),
          splitting.replaced(),
          garbage);
    }
    if (plan instanceof Merging<T> merging) {
      return new OffloadTask(
          history.id,
          plan.number(),
          List.of(),
          plan.number(),
          seen(history, lateOf(history, merging)),
          merging.replaced(),
          garbage);
    }
    return new OffloadTask(history.id, 0, List.of(), 0, List.of(), 0, garbage);
  }

  private static <T> List<StoredVersion> seen(
      VersionHistory<T> history, List<IndexEntry<T>> items) {
    return items.stream().map(history::seen).toList();
  }

  /** Null if one of its versions was removed: the pack is then not written. */
  private static <T> OffloadTask.@Nullable Pack pack(VersionHistory<T> history, Parcel<T> parcel) {
    List<byte[]> values = new ArrayList<>();
    for (T version : parcel.versions()) {
      int at = history.position(version);
      if (at < 0 || !(history.items.get(at).place() instanceof ValueLocation.Inline inline)) {
        return null;
      }
      values.add(inline.value());
    }
    return new OffloadTask.Pack(parcel.pack(), values);
  }

  private static <T> List<IndexEntry<T>> of(VersionHistory<T> history, Splitting<T> splitting) {
    VersionSpace<T> space = history.space;
    return history.items.stream()
        .filter(
            i ->
                space.compare(splitting.first(), i.version()) <= 0
                    && space.compare(i.version(), splitting.last()) <= 0)
        .toList();
  }

  /**
   * The items were packed when the plan was made; a change that could remove them abandons the
   * plan.
   */
  private static <T> List<IndexEntry<T>> lateOf(VersionHistory<T> history, Merging<T> merging) {
    return merging.versions().stream()
        .map(history::position)
        .filter(at -> at >= 0)
        .map(history.items::get)
        .toList();
  }

  /** Completes the plan of this number. True if it was the present plan. */
  static <T> boolean done(VersionHistory<T> history, long number, List<EncodedShard> notes) {
    OffloadPlan<T> plan = history.plan;
    if (plan == null || plan.number() != number) {
      return false;
    }
    history.plan = null;
    if (plan instanceof Packing<T> packing) {
      packing.parcels().forEach(parcel -> packed(history, parcel));
    } else if (plan instanceof Splitting<T> splitting) {
      split(history, splitting, notes);
    } else if (plan instanceof Merging<T> merging) {
      merged(history, merging, notes);
    }
    return true;
  }

  private static <T> void packed(VersionHistory<T> history, Parcel<T> parcel) {
    boolean whole = pack(history, parcel) != null;
    if (!whole) {
      history.garbage.add(parcel.pack());
      return;
    }
    Map<T, Integer> indexes = new HashMap<>();
    parcel.versions().forEach(v -> indexes.put(v, indexes.size()));
    history.items.replaceAll(
        i -> {
          Integer index = indexes.get(i.version());
          if (index == null) {
            return i;
          }
          history.inlineCount--;
          history.inlineBytes -= i.inlineBytes();
          return i.in(new ValueLocation.Packed(parcel.pack(), index));
        });
  }

  private static <T> void split(
      VersionHistory<T> history, Splitting<T> splitting, List<EncodedShard> notes) {
    List<IndexEntry<T>> part = of(history, splitting);
    if (splitting.replaced() == 0) {
      history.items.removeAll(part);
      history.shards.add(IndexShard.of(splitting.number(), part));
      return;
    }
    int at = shardAt(history, splitting.replaced());
    if (at < 0 || notes.isEmpty()) {
      history.plan = splitting;
      history.abandonPlan();
      return;
    }
    history.items.removeAll(part);
    history.shards.set(at, shard(history.space, notes.get(0)));
    history.garbage.add(splitting.replaced());
  }

  /** The position of the shard with this number; negative if there is none. */
  private static int shardAt(VersionHistory<?> history, long number) {
    int at = history.shards.size() - 1;
    while (at >= 0 && history.shards.get(at).number() != number) {
      at--;
    }
    return at;
  }

  private static <T> void merged(
      VersionHistory<T> history, Merging<T> merging, List<EncodedShard> notes) {
    int at = shardAt(history, merging.replaced());
    if (at < 0 || notes.isEmpty()) {
      history.plan = merging;
      history.abandonPlan();
      return;
    }
    List<IndexShard<T>> written = notes.stream().map(n -> shard(history.space, n)).toList();
    history.items.removeAll(lateOf(history, merging));
    history.shards.remove(at);
    history.shards.addAll(at, written);
    history.garbage.add(merging.replaced());
    for (int i = written.size(); i < merging.numbers(); i++) {
      history.garbage.add(merging.number() + i);
    }
  }

  private static <T> IndexShard<T> shard(VersionSpace<T> space, EncodedShard note) {
    return new IndexShard<>(
        note.number(),
        space.read(note.first()),
        space.read(note.last()),
        note.count(),
        note.firstSequence(),
        note.lastSequence(),
        note.packs());
  }
}
