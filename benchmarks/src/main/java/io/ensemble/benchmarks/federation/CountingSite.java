package io.ensemble.benchmarks.federation;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.ForwardingSite;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A site whose requests are counted where they leave the client.
 *
 * @param isByNode whether the store of a strong cache is on one node, as the site would have it; if
 *     not, it is on all nodes of the site, as if nodes could not be addressed one by one
 */
record CountingSite(Site site, RequestCount count, boolean isByNode) implements ForwardingSite {

  @Override
  public String incarnation(String token, StoreKind kind, Set<String> taken) {
    return isByNode ? site.incarnation(token, kind, taken) : token;
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return site.create(store, kind, deadline).thenApply(made -> new CountedStore(made, count));
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return site.open(store, kind, deadline).thenApply(opened -> new CountedStore(opened, count));
  }

  private record CountedStore(SiteStore store, RequestCount count) implements SiteStore {

    @Override
    public String site() {
      return store.site();
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      count.sent("read");
      return store.read(key, deadline);
    }

    @Override
    public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
      count.sent("get");
      return store.get(key, deadline);
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      count.sent("put_if_absent");
      return store.putIfAbsent(key, value, deadline);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      count.sent("replace");
      return store.replace(key, version, value, deadline);
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      count.sent("remove");
      return store.remove(key, version, deadline);
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      count.sent("put");
      return store.put(key, value, deadline);
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      count.sent("get_and_put");
      return store.getAndPut(key, value, deadline);
    }

    @Override
    public boolean isNodeLocal() {
      return store.isNodeLocal();
    }

    @Override
    public SiteStore prioritized() {
      return new CountedStore(store.prioritized(), count);
    }

    @Override
    public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
      count.sent("observe");
      return store.observe(observer, deadline);
    }

    @Override
    public Scan scan(int batchSize) {
      count.sent("scan");
      return store.scan(batchSize);
    }
  }
}
