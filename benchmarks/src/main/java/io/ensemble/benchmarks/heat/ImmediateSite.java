package io.ensemble.benchmarks.heat;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A site in the memory of this process that answers immediately: the least that a request can cost,
 * so that everything else counts the most.
 */
final class ImmediateSite implements Site {

  private final String name;
  private final Map<String, Map<Bytes, StoredEntry>> stores = new ConcurrentHashMap<>();
  private final AtomicLong versions = new AtomicLong();

  ImmediateSite(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return answer(
        () -> new MemoryStore(stores.computeIfAbsent(store, any -> new ConcurrentHashMap<>())));
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return answer(
        () -> {
          Map<Bytes, StoredEntry> entries = stores.get(store);
          if (entries == null) {
            throw new SiteException(name, Reason.STORE_LOST, "there is no such store: " + store);
          }
          return new MemoryStore(entries);
        });
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    Map<Bytes, StoredEntry> removed = stores.remove(store);
    if (removed != null) {
      removed.clear();
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return answer(() -> Set.copyOf(stores.keySet()));
  }

  @Override
  public void close() {}

  private static <T> CompletionStage<T> answer(Supplier<T> request) {
    try {
      return CompletableFuture.completedFuture(request.get());
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private final class MemoryStore implements SiteStore {

    private final Map<Bytes, StoredEntry> entries;

    MemoryStore(Map<Bytes, StoredEntry> entries) {
      this.entries = entries;
    }

    private StoredEntry entry(Bytes value) {
      return new StoredEntry(value, versions.incrementAndGet());
    }

    @Override
    public String site() {
      return name;
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      return answer(() -> Optional.ofNullable(entries.get(key)));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return answer(() -> entries.putIfAbsent(key, entry(value)) == null);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      AtomicBoolean replaced = new AtomicBoolean();
      entries.computeIfPresent(
          key,
          (same, present) -> {
            if (present.version() != version) {
              return present;
            }
            replaced.set(true);
            return entry(value);
          });
      return CompletableFuture.completedFuture(replaced.get());
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return answer(
          () -> {
            StoredEntry present = entries.get(key);
            return present != null && present.version() == version && entries.remove(key, present);
          });
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      entries.put(key, entry(value));
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      return answer(
          () -> Optional.ofNullable(entries.put(key, entry(value))).map(StoredEntry::value));
    }

    @Override
    public Scan scan(int batchSize) {
      Iterator<Map.Entry<Bytes, StoredEntry>> rest = entries.entrySet().iterator();
      return new Scan() {
        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          List<Item> batch = new ArrayList<>();
          while (rest.hasNext() && batch.size() < batchSize) {
            Map.Entry<Bytes, StoredEntry> next = rest.next();
            batch.add(new Item(next.getKey(), next.getValue().value()));
          }
          return CompletableFuture.completedFuture(batch);
        }

        @Override
        public void close() {}
      };
    }
  }
}
