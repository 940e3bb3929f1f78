package io.ensemble.versioning.history;

import io.ensemble.versioning.Retention;
import io.ensemble.versioning.history.AdditionResult.Result;
import io.ensemble.versioning.index.EncodedShard;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key, in their order: the older ones in shards, the others in this entry, with
 * values that have not been packed yet. An addition writes only this entry. So no crash can leave a
 * value without its version, or a version without its value. A part that grows too large is moved
 * out by an {@link OffloadPlan}, which remains in the entry until it has been carried out.
 *
 * <p>Deviations from D2.6, appendix A: Algorithm 3 writes the value first and then its place in the
 * tree. In its sharded tree, shards are trees that change. Here a changed shard is rewritten as a
 * new entry, so that everything read through one entry is a state of one moment.
 *
 * <p>Not thread-safe.
 */
public final class VersionHistory<T> implements HistoryCalls {

  final VersionSpace<T> space;
  final HistoryLimits limits;

  /** The versions in this entry, in their order. */
  final List<IndexEntry<T>> items = new ArrayList<>();

  /**
   * In their order; each covers the range from its first version to below the first of the next
   * one.
   */
  final List<IndexShard<T>> shards = new ArrayList<>();

  final List<T> heads = new ArrayList<>();
  final List<Long> garbage = new ArrayList<>();

  /** The join of all versions that were ever added, and of the floor. */
  T top;

  @Nullable T floor;
  @Nullable T horizon;

  /** Whether a version below the horizon existed; otherwise reads need not mention the horizon. */
  boolean hasCompacted;

  /** The retention of this key; null for that of the cache. */
  @Nullable Retention retention;

  /** Whether the snapshots of the cache were read; later snapshots find this key. */
  boolean snapshotRead;

  @Nullable OffloadPlan<T> plan;
  long lastSequence;
  long lastNumber;

  /** The number of values in this entry. */
  int inlineCount;

  long inlineBytes;

  /** Identifies the entries beside this one. */
  final String id;

  /**
   * Makes a history without versions.
   *
   * @param id that no other history has, nor a former one of this key
   */
  public VersionHistory(VersionSpace<T> space, HistoryLimits limits, String id) {
    this.id = id;
    this.space = space;
    this.limits = limits;
    this.top = space.initial();
  }

  @Override
  public AdditionResult add(Addition addition, @Nullable Retention ofCache) {
    byte[] latest =
        items.isEmpty() ? new byte[0] : space.write(items.get(items.size() - 1).version());
    List<byte[]> expected = addition.expected();
    if (expected != null && !heads.equals(expected.stream().map(space::read).toList())) {
      return added(Result.UNEXPECTED, latest, null);
    }
    if (!snapshotRead && !readSnapshot(addition)) {
      return added(Result.READ_SNAPSHOT_FIRST, latest, null);
    }
    T proposal = space.read(addition.proposal());
    T version = addition.version() == null ? above(proposal) : space.read(addition.version());
    if (addition.version() == null) {
      checkAbove(version);
    } else {
      AdditionResult refusal = AdditionValidator.of(this, addition, version, latest);
      if (refusal != null) {
        return refusal;
      }
    }
    if (!hasRoom(addition, version)) {
      Compaction.retain(this, ofCache, addition.now()); // It may have changed since the last one.
      if (!hasRoom(addition, version)) {
        return added(Result.NO_ROOM, latest, null);
      }
    }
    insert(version, addition.value());
    Compaction.retain(this, ofCache, addition.now());
    makePlan();
    return added(Result.ADDED, space.write(version), null);
  }

  private boolean hasRoom(Addition addition, T version) {
    byte[] value = addition.value();
    return !limits.hasNoRoom(this, space.write(version).length, value == null ? 0 : value.length);
  }

  private boolean readSnapshot(Addition addition) {
    byte[] snapshot = addition.highestSnapshot();
    if (snapshot != null) {
      raise(space.read(snapshot));
      snapshotRead = true;
    }
    return snapshotRead;
  }

  private T above(T proposal) {
    try {
      return space.above(top, proposal);
    } catch (ArithmeticException e) {
      throw new IllegalStateException("no version can follow " + top, e);
    }
  }

  private void checkAbove(T version) {
    if (!space.isBelow(top, version) || position(version) >= 0) {
      throw new IllegalStateException(
          "expected a version above "
              + top
              + "; the space "
              + space.name()
              + " returned "
              + version);
    }
  }

  AdditionResult added(Result result, byte[] version, @Nullable ShardRef shard) {
    return new AdditionResult(result, version, shard, id, planned(), limits.isFull(this));
  }

  private void insert(T version, byte @Nullable [] value) {
    ValueLocation place =
        value == null ? new ValueLocation.Removed() : new ValueLocation.Inline(value);
    if (plan instanceof OffloadPlan.Splitting<T> splitting
        && space.compare(splitting.first(), version) < 0
        && space.compare(version, splitting.last()) < 0) {
      abandonPlan();
    }
    keep(-position(version) - 1, new IndexEntry<>(version, ++lastSequence, place));
    boolean isHead = heads.stream().noneMatch(m -> space.isBelow(version, m));
    heads.removeIf(m -> space.isBelow(m, version));
    if (isHead) {
      heads.add(version);
      heads.sort(space::compare);
    }
    top = space.join(top, version);
  }

  private void keep(int position, IndexEntry<T> indexEntry) {
    items.add(position, indexEntry);
    inlineCount += indexEntry.isInline() ? 1 : 0;
    inlineBytes += indexEntry.inlineBytes();
  }

  /** Restores an item of an encoded state; items are restored in their order. */
  void restore(IndexEntry<T> indexEntry) {
    keep(items.size(), indexEntry);
  }

  void drop(List<IndexEntry<T>> gone) {
    items.removeAll(gone);
    inlineCount -= (int) gone.stream().filter(IndexEntry::isInline).count();
    inlineBytes -= gone.stream().mapToLong(IndexEntry::inlineBytes).sum();
  }

  @Override
  public List<AdditionResult> addAll(List<Addition> additions, @Nullable Retention ofCache) {
    List<AdditionResult> all = new ArrayList<>(additions.size());
    for (Addition addition : additions) {
      AdditionResult added = add(addition, ofCache);
      all.add(added);
      if (added.result() != Result.ADDED) {
        break;
      }
    }
    return all;
  }

  @Override
  public LookupResult look(VersionQuery query) {
    return Lookup.of(this, query);
  }

  @Override
  public LookupResult raise(byte[] to, VersionQuery query) {
    raise(space.read(to));
    return look(query);
  }

  private void raise(T to) {
    floor = floor == null ? to : space.join(floor, to);
    top = space.join(top, to);
  }

  @Override
  public void compact(byte[] version) {
    Compaction.compactTo(this, space.read(version));
  }

  @Override
  public void retain(@Nullable Retention wanted, @Nullable Retention ofCache, long now) {
    retention = wanted;
    sweep(ofCache, now);
  }

  @Override
  public void sweep(@Nullable Retention ofCache, long now) {
    Compaction.retain(this, ofCache, now);
  }

  boolean isUsed(long pack) {
    return shards.stream().anyMatch(s -> s.packs().contains(pack))
        || items.stream()
            .anyMatch(i -> i.place() instanceof ValueLocation.Packed p && p.pack() == pack);
  }

  /** Removes the packs that are used, in one pass: a key may have many packs. */
  void removeUsed(Set<Long> packs) {
    if (packs.isEmpty()) {
      return;
    }
    shards.forEach(s -> s.packs().forEach(packs::remove));
    for (IndexEntry<T> indexEntry : items) {
      if (indexEntry.place() instanceof ValueLocation.Packed packed) {
        packs.remove(packed.pack());
      }
    }
  }

  @Override
  public void purge() {
    Set<Long> packs = new LinkedHashSet<>();
    shards.forEach(s -> garbage.add(s.number()));
    shards.forEach(s -> packs.addAll(s.packs()));
    items.forEach(i -> Compaction.addPack(i, packs));
    garbage.addAll(packs);
    abandonPlan();
    shards.clear();
    items.clear();
    inlineCount = 0;
    inlineBytes = 0;
    heads.clear();
    floor = top;
    horizon = null;
    hasCompacted = false;
  }

  @Override
  public OffloadTask work() {
    return OffloadPlanner.work(this);
  }

  @Override
  public OffloadTask confirmed() {
    return work();
  }

  @Override
  public OffloadTask done(String of, long number, List<EncodedShard> notes, List<Long> written) {
    if (!id.equals(of)) {
      return work();
    }
    if (OffloadPlanner.done(this, number, notes)) {
      Compaction.repeat(this);
    }
    makePlan();
    written.stream().filter(n -> !garbage.contains(n) && !isNeeded(n)).forEach(garbage::add);
    return work();
  }

  /** Whether an entry is referenced, or will be; an entry that is not will never be. */
  private boolean isNeeded(long number) {
    OffloadPlan<T> now = plan;
    return now != null && now.number() <= number && number < now.number() + now.numbers()
        || shards.stream().anyMatch(s -> s.number() == number)
        || isUsed(number);
  }

  @Override
  public void swept(String of, List<Long> numbers) {
    if (id.equals(of)) {
      garbage.removeAll(Set.copyOf(numbers));
    }
  }

  private boolean planned() {
    return plan != null || !garbage.isEmpty();
  }

  void makePlan() {
    if (plan == null) {
      plan = OffloadPlanner.next(this);
    }
  }

  void abandonPlan() {
    OffloadPlan<T> given = plan;
    if (given != null) {
      for (int i = 0; i < given.numbers(); i++) {
        garbage.add(given.number() + i);
      }
      plan = null;
    }
  }

  void abandonPlanWithoutSubject() {
    boolean splits =
        plan instanceof OffloadPlan.Splitting<T> splitting
            && (position(splitting.first()) < 0
                || splitting.replaced() != 0
                    && shards.stream().noneMatch(s -> s.number() == splitting.replaced()));
    if (splits
        || plan instanceof OffloadPlan.Merging<T>) { // Late items may belong to another shard now.
      abandonPlan();
    }
  }

  /** The index of a version in this entry; if it is missing, the result of a binary search. */
  int position(T version) {
    int low = 0;
    int high = items.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = space.compare(items.get(middle).version(), version);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }

  /** The number of versions in this entry that belong into shards: the first ones. */
  int lateCount() {
    if (shards.isEmpty()) {
      return 0;
    }
    int position = position(shards.get(shards.size() - 1).last());
    return position < 0 ? -position - 1 : position + 1;
  }

  /** Whether a version belongs into a shard. */
  boolean isLate(T version) {
    return !shards.isEmpty() && space.compare(version, shards.get(shards.size() - 1).last()) <= 0;
  }

  /** The shard into which a late version belongs. */
  IndexShard<T> home(T version) {
    IndexShard<T> home = shards.get(0);
    for (IndexShard<T> shard : shards) {
      if (space.compare(shard.first(), version) <= 0) {
        home = shard;
      }
    }
    return home;
  }

  static ShardRef ref(IndexShard<?> shard) {
    return new ShardRef(shard.number(), shard.count());
  }

  StoredVersion seen(IndexEntry<T> indexEntry) {
    return StoredVersion.of(space.write(indexEntry.version()), indexEntry);
  }
}
