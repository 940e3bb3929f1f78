package io.ensemble.objects.store;

import java.util.function.Consumer;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;

/** Hands on which key it was, and nothing else. Public because Infinispan calls it. */
public abstract class EmbeddedEvents {

  private final Consumer<String> hint;

  private EmbeddedEvents(Consumer<String> hint) {
    this.hint = hint;
  }

  /** An entry is there, or is another one. */
  @CacheEntryCreated
  @CacheEntryModified
  public void changed(CacheEntryEvent<String, byte[]> event) {
    if (!event.isPre()) {
      hint.accept(event.getKey());
    }
  }

  /** Of all nodes. */
  @Listener(clustered = true, sync = false, observation = Listener.Observation.POST)
  public static final class OfCluster extends EmbeddedEvents {
    OfCluster(Consumer<String> hint) {
      super(hint);
    }
  }

  /** Of this one. */
  @Listener(sync = false, observation = Listener.Observation.POST)
  public static final class OfNode extends EmbeddedEvents {
    OfNode(Consumer<String> hint) {
      super(hint);
    }
  }
}
