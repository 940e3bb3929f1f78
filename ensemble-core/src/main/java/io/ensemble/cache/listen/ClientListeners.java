package io.ensemble.cache.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.ListenOptions;
import io.ensemble.PartsChangedException;
import io.ensemble.QuorumUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.infinispan.client.hotrod.event.ClientCacheEntryCreatedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryExpiredEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryModifiedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryRemovedEvent;
import org.infinispan.client.hotrod.event.ClientCacheFailoverEvent;
import org.infinispan.client.hotrod.event.ClientEvent;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects with annotated methods that listen to one open cache. Each has a stream of changes
 * and a thread that reads it and calls the methods. Thread-safe.
 */
public final class ClientListeners implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClientListeners.class);

  private static final Duration WAIT = Duration.ofSeconds(10);

  // Guarded by this object's lock. Null while a listener is being registered.
  private final Map<Object, @Nullable ChangeStream<?, ?>> streams = new IdentityHashMap<>();
  private boolean isClosed;

  private record Created<K>(K getKey, long getVersion) implements ClientCacheEntryCreatedEvent<K> {

    @Override
    public boolean isCommandRetried() {
      return false;
    }

    @Override
    public Type getType() {
      return Type.CLIENT_CACHE_ENTRY_CREATED;
    }
  }

  private record Modified<K>(K getKey, long getVersion)
      implements ClientCacheEntryModifiedEvent<K> {

    @Override
    public boolean isCommandRetried() {
      return false;
    }

    @Override
    public Type getType() {
      return Type.CLIENT_CACHE_ENTRY_MODIFIED;
    }
  }

  private record Removed<K>(K getKey) implements ClientCacheEntryRemovedEvent<K> {

    @Override
    public boolean isCommandRetried() {
      return false;
    }

    @Override
    public Type getType() {
      return Type.CLIENT_CACHE_ENTRY_REMOVED;
    }
  }

  private record Expired<K>(K getKey) implements ClientCacheEntryExpiredEvent<K> {

    @Override
    public Type getType() {
      return Type.CLIENT_CACHE_ENTRY_EXPIRED;
    }
  }

  private record Failover() implements ClientCacheFailoverEvent {

    @Override
    public Type getType() {
      return Type.CLIENT_CACHE_FAILOVER;
    }
  }

  /**
   * Registers {@code listener}; see {@link EnsembleCache#addClientListener}. Without effect if it
   * is registered already.
   */
  public <K, V> void add(Object listener, EnsembleCache<K, V> cache) {
    ListenerMethods methods = ListenerMethods.of(listener);
    synchronized (this) {
      if (isClosed || streams.containsKey(listener)) {
        return;
      }
      streams.put(listener, null);
    }
    ChangeStream<K, V> stream;
    try {
      stream = cache.listen(ListenOptions.<K>all().withoutValues());
    } catch (RuntimeException | Error refused) {
      synchronized (this) {
        streams.remove(listener);
      }
      throw refused;
    }
    boolean isWithdrawn;
    synchronized (this) {
      isWithdrawn = isClosed || !streams.containsKey(listener);
      if (!isWithdrawn) {
        streams.put(listener, stream);
      }
    }
    if (isWithdrawn) {
      stream.close();
      return;
    }
    Thread reader =
        new Thread(
            () -> read(listener, methods, cache, stream), "ensemble-listener-" + cache.getName());
    reader.setDaemon(true);
    reader.start();
  }

  private <K, V> void read(
      Object listener,
      ListenerMethods methods,
      EnsembleCache<K, V> cache,
      ChangeStream<K, V> from) {
    ChangeStream<K, V> stream = from;
    try {
      if (methods.includesCurrentState()) {
        showPresent(listener, methods, cache, stream);
      }
      while (isRegistered(listener, stream)) {
        Optional<ChangeEvent<K, V>> next;
        try {
          next = stream.next(WAIT);
        } catch (PartsChangedException changed) {
          stream = reopened(listener, cache, stream);
          continue;
        }
        if (isRegistered(listener, stream)) {
          next.map(ClientListeners::event).ifPresent(methods::call);
        }
      }
    } catch (IllegalStateException ended) {
      LOG.debug("a listener has ended; cache={}", cache.getName(), ended);
    } catch (RuntimeException ended) {
      if (isRegistered(listener, stream)) {
        LOG.error("a listener receives no further events; cache={}", cache.getName(), ended);
      }
    } finally {
      if (isRegistered(listener, stream)) {
        remove(listener);
      }
    }
  }

  /** Another stream, whose first event says that changes may be missing; waits for it. */
  private <K, V> ChangeStream<K, V> reopened(
      Object listener, EnsembleCache<K, V> cache, ChangeStream<K, V> former) {
    ListenOptions<K> options = ListenOptions.<K>all().withoutValues().from(former.position());
    while (isRegistered(listener, former)) {
      try {
        ChangeStream<K, V> next = cache.listen(options);
        boolean isReplaced;
        synchronized (this) {
          isReplaced = streams.replace(listener, former, next);
        }
        (isReplaced ? former : next).close();
        return next;
      } catch (QuorumUnavailableException unavailable) {
        LOG.warn("a listener cannot be opened for new parts yet; cache={}", cache.getName());
      }
    }
    return former;
  }

  private <K, V> void showPresent(
      Object listener,
      ListenerMethods methods,
      EnsembleCache<K, V> cache,
      ChangeStream<K, V> from) {
    try (CloseableIterator<K> keys = cache.keySet().iterator()) {
      while (isRegistered(listener, from) && keys.hasNext()) {
        methods.call(new Created<>(keys.next(), 0));
      }
    }
  }

  /** The event for methods with annotations; null if there is none. */
  private static <K> @Nullable ClientEvent event(ChangeEvent<K, ?> event) {
    if (event instanceof Change<K, ?> change) {
      long version = change.stamp().stamp().micros();
      return switch (change.kind()) {
        case CREATED -> new Created<>(change.key(), version);
        case MODIFIED -> new Modified<>(change.key(), version);
        case REMOVED -> new Removed<>(change.key());
        case EXPIRED -> new Expired<>(change.key());
      };
    }
    GapReason reason = ((Gap<?, ?>) event).reason();
    boolean isLoss =
        reason == GapReason.OVERFLOW
            || reason == GapReason.UNREADABLE
            || reason == GapReason.RETENTION;
    return isLoss ? new Failover() : null;
  }

  /** Whether this stream is that of the object, which may have been registered again. */
  private synchronized boolean isRegistered(Object listener, ChangeStream<?, ?> stream) {
    return streams.get(listener) == stream;
  }

  /** Ends the calls of {@code listener}; a call in progress ends. */
  public void remove(Object listener) {
    ChangeStream<?, ?> stream;
    synchronized (this) {
      stream = streams.remove(listener);
    }
    if (stream != null) {
      stream.close();
    }
  }

  /** The registered objects. */
  public synchronized Set<Object> registered() {
    Set<Object> same = Collections.newSetFromMap(new IdentityHashMap<>());
    same.addAll(streams.keySet());
    return same;
  }

  /** Removes all listeners; further ones are ignored. */
  @Override
  public void close() {
    List<ChangeStream<?, ?>> open = new ArrayList<>();
    synchronized (this) {
      isClosed = true;
      for (ChangeStream<?, ?> stream : streams.values()) {
        if (stream != null) {
          open.add(stream);
        }
      }
      streams.clear();
    }
    open.forEach(ChangeStream::close);
  }
}
