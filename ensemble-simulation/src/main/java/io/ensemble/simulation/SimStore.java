package io.ensemble.simulation;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client's handle of a store, by name. If the store is removed, the handle works again once a
 * store of that name exists.
 */
final class SimStore implements SiteStore {

  private final SimSite site;
  private final String store;
  private final StoreKind kind;

  SimStore(SimSite site, String store, StoreKind kind) {
    this.site = site;
    this.store = store;
    this.kind = kind;
  }

  @Override
  public String site() {
    return site.name();
  }

  @Override
  public boolean isNodeLocal() {
    return true;
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return send("read " + at(key), memory -> memory.read(key), deadline);
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return send(
        "putIfAbsent " + at(key) + " " + value, memory -> memory.putIfAbsent(key, value), deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return send(
        "replace " + at(key) + SimStoreEntries.versionText(version) + " " + value,
        memory -> memory.replace(key, version, value),
        deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return send(
        "remove " + at(key) + SimStoreEntries.versionText(version),
        memory -> memory.remove(key, version),
        deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    refuseUnlessPlain("put");
    return send("put " + at(key) + " " + value, memory -> memory.put(key, value), deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    refuseUnlessPlain("getAndPut");
    return send(
        "getAndPut " + at(key) + " " + value, memory -> memory.getAndPut(key, value), deadline);
  }

  @Override
  public Scan scan(int batchSize) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("a batch holds at least one entry; got=" + batchSize);
    }
    return new SimScan(site, store, batchSize);
  }

  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    SimObservation observation = site.observation(observer);
    return this.<Boolean>send(
            "observe " + store,
            memory -> {
              memory.observe(observation);
              return RequestResult.of(true, "observed");
            },
            deadline)
        .<Runnable>thenApply(observed -> observation::end)
        .whenComplete(
            (end, failure) -> {
              if (failure != null) {
                observation.end();
              }
            });
  }

  private <T extends @Nullable Object> CompletionStage<T> send(
      String what, Function<SimStoreEntries, RequestResult<T>> action, Deadline deadline) {
    return site.send(what, memory -> action.apply(memory.store(store)), deadline);
  }

  private String at(Bytes key) {
    return store + "/" + key;
  }

  private void refuseUnlessPlain(String operation) {
    if (kind != StoreKind.PLAIN) {
      throw new IllegalStateException(
          operation + " requires a store of kind PLAIN, got " + kind + "; store=" + store);
    }
  }
}
