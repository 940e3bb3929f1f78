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
 * The states that have entries of their own, for who looks at objects that are not open. A snapshot
 * is never changed, so that copies of those that were read last are kept; which one is an object's,
 * its root says. Thread-safe; completes on the clockwork's executor.
 */
public final class SnapshotCache {

  /** So many bytes of copies are kept. */
  static final long KEPT_BYTES = 16 << 20;

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final RequestRetrier requestRetrier;
  private final Map<UUID, ByteString> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long keptBytes;

  /** Those in {@code store}, which is given up for each request after {@code requestTimeout}. */
  public SnapshotCache(ObjectStore store, TimedExecutor timedExecutor, Duration requestTimeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.requestRetrier = new RequestRetrier(timedExecutor, requestTimeout);
  }

  /** The state; empty if it is no more. */
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
