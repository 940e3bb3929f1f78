package io.ensemble.objects.runtime;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * States that have entries of their own, for reads of objects that are not open. A snapshot never
 * changes, so copies of those read last are cached; the root of an object names its snapshot.
 * Thread-safe; completes on the executor of {@link TimedExecutor}.
 */
public final class SnapshotCache {

  /** The maximum size of all cached copies, in bytes. */
  static final long KEPT_BYTES = 16 << 20;

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final RequestRetrier requestRetrier;
  private final Map<UUID, ByteString> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long keptBytes;

  /** Caches snapshots of {@code store}; each request has this timeout. */
  public SnapshotCache(ObjectStore store, TimedExecutor timedExecutor, Duration requestTimeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.requestRetrier = new RequestRetrier(timedExecutor, requestTimeout);
  }

  /** Reads the state; empty if the snapshot no longer exists. */
  public CompletionStage<Optional<ByteString>> read(UUID snapshot, long deadline) {
    Optional<ByteString> copy = copy(snapshot);
    if (copy.isPresent()) {
      return CompletableFuture.completedFuture(copy);
    }
    return requestRetrier
        .<Optional<Entry>>asked(() -> store.read(ObjectKeys.snapshot(snapshot)), deadline)
        .thenApplyAsync(
            found -> found.map(e -> keep(snapshot, e.value())), timedExecutor.executor());
  }

  private synchronized Optional<ByteString> copy(UUID snapshot) {
    return Optional.ofNullable(kept.get(snapshot));
  }

  private synchronized ByteString keep(UUID snapshot, byte[] state) {
    ByteString bytes = ByteString.of(state);
    if (kept.putIfAbsent(snapshot, bytes) == null) {
      keptBytes += bytes.size();
    }
    Iterator<ByteString> eldest = kept.values().iterator();
    while (keptBytes > KEPT_BYTES && eldest.hasNext()) {
      keptBytes -= eldest.next().size();
      eldest.remove();
    }
    return bytes;
  }
}
