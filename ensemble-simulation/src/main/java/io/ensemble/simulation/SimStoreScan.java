package io.ensemble.simulation;

import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A walk over a store, with guarantees as weak as the port allows. Entries come in any order, some
 * twice, with their values at the time of the visit. Entries added meanwhile may be missing.
 */
final class SimStoreScan {

  /** The walk returns one of so many entries twice. */
  private static final int TWICE = 8;

  private final SimStoreEntries store;
  private final long life;
  private final SplittableRandom random;
  private final List<Bytes> keys = new ArrayList<>();
  private boolean lookedForNew;

  /**
   * A part of a walk.
   *
   * @param life the number of the walk that the part belongs to
   * @param next the start of the next part
   */
  record ScanPart(List<Item> items, long life, int next) {}

  SimStoreScan(SimStoreEntries store, long life, SplittableRandom random) {
    this.store = store;
    this.life = life;
    this.random = random;
    for (Bytes key : store.entries().keySet()) {
      insertAtRandom(key);
      if (random.nextInt(TWICE) == 0) {
        insertAtRandom(key);
      }
    }
  }

  long life() {
    return life;
  }

  private void insertAtRandom(Bytes key) {
    int at = random.nextInt(keys.size() + 1);
    keys.add(key);
    // A step of a shuffle: the new key swaps places with a random one.
    Bytes displaced = keys.set(at, key);
    keys.set(keys.size() - 1, displaced);
  }

  /**
   * The entries from an index on; the same index may be read any number of times. Empty only at the
   * end.
   */
  ScanPart part(int from, int batchSize) {
    List<Item> items = new ArrayList<>(batchSize);
    int next = from;
    while (items.size() < batchSize) {
      if (next >= keys.size() && (lookedForNew || !addNew())) {
        break;
      }
      Bytes key = keys.get(next++);
      StoredEntry entry = store.entries().get(key);
      if (entry != null) {
        items.add(new Item(key, entry.value()));
      }
    }
    return new ScanPart(List.copyOf(items), life, next);
  }

  private boolean addNew() {
    lookedForNew = true;
    Set<Bytes> met = new LinkedHashSet<>(keys);
    int before = keys.size();
    for (Bytes key : store.entries().keySet()) {
      if (!met.contains(key) && random.nextBoolean()) {
        keys.add(key);
      }
    }
    return keys.size() > before;
  }
}
