package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The view of a site for one of several replicas of a cache: the same site, called {@code SITE/N},
 * so that its stores and failures name their replica. Thread-safe; adds no round trip.
 *
 * @param site the site that holds the replica
 * @param name the name of the replica
 */
public record ReplicaSite(Site site, String name) implements ForwardingSite {

  private SiteException named(SiteException why) {
    return why.forReplica(name);
  }

  private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> request) {
    return request
        .get()
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedStage(
                    ResumableScan.unwrapped(failure) instanceof SiteException why
                        ? named(why)
                        : failure));
  }

  @Override
  public String incarnation(String token, StoreKind kind, Set<String> taken) {
    try {
      return site.incarnation(token, kind, taken);
    } catch (SiteException why) {
      throw named(why);
    }
  }

  @Override
  public CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    return ask(() -> site.countNodes(probe, deadline));
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return ask(() -> site.create(store, kind, deadline)).thenApply(ReplicaStore::new);
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return ask(() -> site.open(store, kind, deadline)).thenApply(ReplicaStore::new);
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    return ask(() -> site.remove(store, deadline));
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return ask(() -> site.stores(deadline));
  }

  @Override
  public CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return ask(() -> site.figures(deadline));
  }

  /** Without effect: the site's owner closes it. */
  @Override
  public void close() {}

  /** A store of this replica. */
  private final class ReplicaStore implements SiteStore {

    private final SiteStore store;

    ReplicaStore(SiteStore store) {
      this.store = store;
    }

    @Override
    public String site() {
      return name;
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      return ask(() -> store.read(key, deadline));
    }

    @Override
    public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
      return ask(() -> store.get(key, deadline));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return ask(() -> store.putIfAbsent(key, value, deadline));
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      return ask(() -> store.replace(key, version, value, deadline));
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return ask(() -> store.remove(key, version, deadline));
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      return ask(() -> store.put(key, value, deadline));
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      return ask(() -> store.getAndPut(key, value, deadline));
    }

    @Override
    public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
      return ask(() -> store.observe(observer, deadline));
    }

    @Override
    public boolean isNodeLocal() {
      return store.isNodeLocal();
    }

    @Override
    public SiteStore prioritized() {
      return new ReplicaStore(store.prioritized());
    }

    @Override
    public Scan scan(int batchSize) {
      Scan scan = store.scan(batchSize);
      return new Scan() {
        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          return ask(() -> scan.next(deadline));
        }

        @Override
        public void close() {
          scan.close();
        }
      };
    }
  }
}
