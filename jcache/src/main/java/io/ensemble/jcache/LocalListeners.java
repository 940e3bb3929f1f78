package io.ensemble.jcache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of a cache object. They receive the events of the operations on this object, each
 * on the thread of the operation, before the operation returns. Thread-safe.
 */
final class LocalListeners<K, V> {

  private static final Logger LOG = LoggerFactory.getLogger(LocalListeners.class);

  private final String cache;
  private final boolean accepted;
  private final List<Registered<K, V>> all = new CopyOnWriteArrayList<>();

  private record Registered<K, V>(
      CacheEntryListenerConfiguration<K, V> configuration,
      CacheEntryListener<? super K, ? super V> listener,
      @Nullable CacheEntryEventFilter<? super K, ? super V> filter) {}

  /**
   * @param accepted whether listeners may be registered
   */
  LocalListeners(String cache, boolean accepted) {
    this.cache = cache;
    this.accepted = accepted;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Registers a listener.
   *
   * @throws UnsupportedOperationException if listeners are not accepted, or the listener can
   *     receive only events of expiry
   * @throws IllegalArgumentException if the listener is registered
   */
  synchronized void register(CacheEntryListenerConfiguration<K, V> configuration) {
    checkAccepted();
    if (all.stream().anyMatch(one -> one.configuration().equals(configuration))) {
      throw new IllegalArgumentException("the listener is registered already; cache=" + cache);
    }
    CacheEntryListener<? super K, ? super V> listener =
        configuration.getCacheEntryListenerFactory().create();
    if (!(listener instanceof CacheEntryCreatedListener
        || listener instanceof CacheEntryUpdatedListener
        || listener instanceof CacheEntryRemovedListener)) {
      throw new UnsupportedOperationException(
          "expired entries raise no event, so a CacheEntryExpiredListener alone is never called; "
              + "cache="
              + cache);
    }
    Factory<CacheEntryEventFilter<? super K, ? super V>> filter =
        configuration.getCacheEntryEventFilterFactory();
    all.add(new Registered<>(configuration, listener, filter == null ? null : filter.create()));
  }

  /**
   * @throws UnsupportedOperationException if listeners are not accepted
   */
  void checkAccepted() {
    if (!accepted) {
      throw new UnsupportedOperationException(
          "listeners would receive only the events of operations on this cache object: accept that "
              + "with EnsembleConfiguration.setLocalListeners(true), or with the property "
              + "ensemble.jcache.listeners=local; cache="
              + cache);
    }
  }

  void deregister(CacheEntryListenerConfiguration<K, V> configuration) {
    all.removeIf(one -> one.configuration().equals(configuration));
  }

  /**
   * Calls the listeners of the event's type.
   *
   * @throws CacheEntryListenerException if a synchronous listener throws
   */
  void dispatch(CacheEntryEvent<K, V> event) {
    for (Registered<K, V> one : all) {
      try {
        if (one.filter() == null || one.filter().evaluate(event)) {
          call(one.listener(), event);
        }
      } catch (RuntimeException e) {
        if (!one.configuration().isSynchronous()) {
          LOG.warn("a listener failed; cache={} event={}", cache, event.getEventType(), e);
        } else if (e instanceof CacheEntryListenerException own) {
          throw own;
        } else {
          throw new CacheEntryListenerException("a listener failed; cache=" + cache, e);
        }
      }
    }
  }

  @SuppressWarnings("unchecked") // A listener accepts events of its cache's keys and values.
  private static <K, V> void call(
      CacheEntryListener<? super K, ? super V> listener, CacheEntryEvent<K, V> event) {
    switch (event.getEventType()) {
      case CREATED -> {
        if (listener instanceof CacheEntryCreatedListener<?, ?> created) {
          ((CacheEntryCreatedListener<K, V>) created).onCreated(List.of(event));
        }
      }
      case UPDATED -> {
        if (listener instanceof CacheEntryUpdatedListener<?, ?> updated) {
          ((CacheEntryUpdatedListener<K, V>) updated).onUpdated(List.of(event));
        }
      }
      case REMOVED -> {
        if (listener instanceof CacheEntryRemovedListener<?, ?> removed) {
          ((CacheEntryRemovedListener<K, V>) removed).onRemoved(List.of(event));
        }
      }
      case EXPIRED -> throw new AssertionError("expired entries raise no event");
    }
  }

  /** The listeners, to be closed. */
  List<?> listeners() {
    return all.stream().map(Registered::listener).toList();
  }
}
