package io.ensemble.objects.store;

import io.ensemble.objects.store.ObjectStore.Change;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.Optional;
import java.util.function.Consumer;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;

/** Forwards entries that were written. Public because Infinispan calls it. */
public abstract class EmbeddedCacheListener {

  private final Consumer<Change> listener;

  private EmbeddedCacheListener(Consumer<Change> listener) {
    this.listener = listener;
  }

  /** An entry was created or modified. */
  @CacheEntryCreated
  @CacheEntryModified
  public void changed(CacheEntryEvent<String, byte[]> event) {
    if (!event.isPre()) {
      byte[] value = event.getValue();
      listener.accept(
          new Change(event.getKey(), Optional.ofNullable(value).map(v -> new Entry(v, v))));
    }
  }

  /** Listens to all nodes. */
  @Listener(clustered = true, sync = false, observation = Listener.Observation.POST)
  public static final class OfCluster extends EmbeddedCacheListener {
    OfCluster(Consumer<Change> listener) {
      super(listener);
    }
  }

  /** Listens to this node. */
  @Listener(sync = false, observation = Listener.Observation.POST)
  public static final class OfNode extends EmbeddedCacheListener {
    OfNode(Consumer<Change> listener) {
      super(listener);
    }
  }
}
