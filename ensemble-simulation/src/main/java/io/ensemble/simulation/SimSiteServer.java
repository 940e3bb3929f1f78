package io.ensemble.simulation;

import io.ensemble.simulation.Fault.LostState;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The server side of a site: its stores, the walks under way, and whether it is up. */
final class SimSiteServer {

  private static final int MOST_WALKS = 256;

  private final String name;
  private final SplittableRandom random;
  private final Map<String, SimStoreEntries> stores = new LinkedHashMap<>();
  private final Map<Long, SimStoreScan> walks = new LinkedHashMap<>();
  private final List<Runnable> heldRequests = new ArrayList<>();
  private @Nullable LostState down;
  private long lives;

  SimSiteServer(String name, SplittableRandom random) {
    this.name = name;
    this.random = random;
  }

  String name() {
    return name;
  }

  boolean isUp() {
    return down == null;
  }

  boolean isPaused() {
    return down == LostState.NOTHING;
  }

  /** Holds a request until a paused site resumes. */
  void hold(Runnable request) {
    heldRequests.add(request);
  }

  void goDown(LostState forgets) {
    down = forgets;
    if (forgets == LostState.NOTHING) {
      return;
    }
    heldRequests.clear();
    walks.clear();
    stores.values().forEach(SimStoreEntries::endObservations);
    if (forgets == LostState.STORES) {
      stores.clear();
    }
  }

  /** Resumes the site, and returns the requests that were held. */
  List<Runnable> comeUp() {
    down = null;
    List<Runnable> waiting = List.copyOf(heldRequests);
    heldRequests.clear();
    return waiting;
  }

  Map<String, SimStoreEntries> stores() {
    return stores;
  }

  void create(String store, StoreKind kind) {
    if (stores.containsKey(store)) {
      throw new SiteException(
          name, Reason.FAILED, "expected a new store, but the name is taken; store=" + store);
    }
    stores.put(store, new SimStoreEntries(kind, random.split()));
  }

  void open(String store, StoreKind wanted) {
    StoreKind has = store(store).kind();
    // A simulated site is one memory, so its stores of the two strong kinds are alike.
    if (has != wanted && (has == StoreKind.PLAIN || wanted == StoreKind.PLAIN)) {
      throw new SiteException(
          name,
          Reason.UNSUITABLE,
          "expected a store of kind " + wanted + ", got " + has + "; store=" + store);
    }
  }

  boolean removeStore(String store) {
    return stores.remove(store) != null;
  }

  SimStoreEntries store(String store) {
    SimStoreEntries memory = stores.get(store);
    if (memory == null) {
      throw new SiteException(
          name, Reason.STORE_LOST, "expected an existing store, got none; store=" + store);
    }
    return memory;
  }

  /**
   * The next part of a walk. A walk that does not exist, because it is new or was lost in a crash,
   * begins; {@code life} shows whether the caller has noticed that.
   */
  SimStoreScan.ScanPart walk(long id, long life, String store, int from, int batchSize) {
    SimStoreEntries memory = store(store);
    SimStoreScan walk = walks.get(id);
    if (walk == null) {
      if (walks.size() >= MOST_WALKS) {
        throw new SiteException(
            name, Reason.BUSY, "over " + MOST_WALKS + " walks are under way; store=" + store);
      }
      walk = new SimStoreScan(memory, ++lives, random.split());
      walks.put(id, walk);
    }
    return walk.part(walk.life() == life ? from : 0, batchSize);
  }

  void endWalk(long id) {
    walks.remove(id);
  }
}
