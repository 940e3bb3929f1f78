package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A site whose stores are maps that tests can read and change. */
public final class MapSite implements Site {

  private final String name;
  private final Scheduler scheduler;

  // All fields below are guarded by the lock of this object.
  private final Map<String, Map<Bytes, StoredEntry>> stores = new TreeMap<>();
  private final Map<String, List<StoreObserver>> observers = new HashMap<>();
  private boolean isDown;
  private long versions;

  public MapSite(String name, Scheduler scheduler) {
    this.name = name;
    this.scheduler = scheduler;
  }

  /** The keys and values of a store. */
  public synchronized Map<Bytes, Bytes> entries(String store) {
    Map<Bytes, Bytes> all = new HashMap<>();
    stores.get(store).forEach((key, entry) -> all.put(key, entry.value()));
    return all;
  }

  /** Changes the bytes that are stored under {@code key}, if there are any. */
  public synchronized void change(String store, Bytes key, UnaryOperator<Bytes> change) {
    Map<Bytes, StoredEntry> entries = stores.get(store);
    entries.computeIfPresent(
        key, (same, entry) -> new StoredEntry(change.apply(entry.value()), ++versions));
  }

  /** Whether each request fails from now on. A site that goes down ends all observations. */
  public void setDown(boolean down) {
    List<StoreObserver> interrupted = new ArrayList<>();
    synchronized (this) {
      isDown = down;
      if (down) {
        observers.values().forEach(interrupted::addAll);
        observers.clear();
      }
    }
    interrupted.forEach(StoreObserver::interrupted);
  }

  /** Removes a store with its entries. */
  public synchronized void lose(String store) {
    stores.remove(store);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return answer(
        () -> {
          stores.computeIfAbsent(store, absent -> new HashMap<>());
          return new MapStore(store);
        });
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return answer(
        () -> {
          entriesOf(store);
          return new MapStore(store);
        });
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    return answer(
        () -> {
          stores.remove(store);
          return null;
        });
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return answer(() -> Set.copyOf(stores.keySet()));
  }

  @Override
  public void close() {}

  private <T> CompletionStage<T> answer(Supplier<T> request) {
    return CompletableFuture.supplyAsync(
        () -> {
          synchronized (this) {
            if (isDown) {
              throw new SiteException(name, Reason.UNREACHABLE, "the site is down");
            }
            return request.get();
          }
        },
        scheduler.answers());
  }

  private Map<Bytes, StoredEntry> entriesOf(String store) {
    Map<Bytes, StoredEntry> entries = stores.get(store);
    if (entries == null) {
      throw new SiteException(name, Reason.STORE_LOST, "there is no such store: " + store);
    }
    return entries;
  }

  private final class MapStore implements SiteStore {

    private final String store;

    MapStore(String store) {
      this.store = store;
    }

    private StoredEntry entry(Bytes key, Bytes value) {
      for (StoreObserver observer : observers.getOrDefault(store, List.of())) {
        scheduler.execute(() -> observer.stored(key, value));
      }
      return new StoredEntry(value, ++versions);
    }

    @Override
    public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
      return answer(
          () -> {
            List<StoreObserver> all =
                observers.computeIfAbsent(store, first -> new CopyOnWriteArrayList<>());
            all.add(observer);
            return () -> all.remove(observer);
          });
    }

    @Override
    public String site() {
      return name;
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      return answer(() -> Optional.ofNullable(entriesOf(store).get(key)));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return answer(
          () ->
              !entriesOf(store).containsKey(key)
                  && entriesOf(store).put(key, entry(key, value)) == null);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      return answer(
          () -> has(key, version) && entriesOf(store).put(key, entry(key, value)) != null);
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return answer(() -> has(key, version) && entriesOf(store).remove(key) != null);
    }

    private boolean has(Bytes key, long version) {
      StoredEntry found = entriesOf(store).get(key);
      return found != null && found.version() == version;
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      return getAndPut(key, value, deadline).thenApply(former -> null);
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      return answer(
          () ->
              Optional.ofNullable(entriesOf(store).put(key, entry(key, value)))
                  .map(StoredEntry::value));
    }

    @Override
    public Scan scan(int batchSize) {
      Iterator<Map.Entry<Bytes, Bytes>> rest = entries(store).entrySet().iterator();
      return new Scan() {
        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          return answer(
              () -> {
                List<Item> batch = new ArrayList<>();
                while (rest.hasNext() && batch.size() < batchSize) {
                  Map.Entry<Bytes, Bytes> next = rest.next();
                  batch.add(new Item(next.getKey(), next.getValue()));
                }
                return batch;
              });
        }

        @Override
        public void close() {}
      };
    }
  }
}
