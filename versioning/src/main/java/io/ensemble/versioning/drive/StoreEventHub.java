package io.ensemble.versioning.drive;

import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Change;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares one registration for the events of a store between all listeners, since a store sends
 * every written entry to each registered listener. Thread-safe.
 */
final class StoreEventHub {

  private static final Logger LOG = LoggerFactory.getLogger(StoreEventHub.class);
  private static final String OBJECT = ObjectKeys.root("");

  /**
   * A listener.
   *
   * @param names receives the names of objects that may have changed
   * @param closed runs when no further event will arrive
   */
  record ChangedNameListener(Consumer<String> names, Runnable closed) {}

  private final ObjectStore store;
  private final Executor executor;
  private final List<ChangedNameListener> listeners = new CopyOnWriteArrayList<>();
  private @Nullable CompletableFuture<Optional<AutoCloseable>> events;
  private boolean failed;

  StoreEventHub(ObjectStore store, Executor executor) {
    this.store = store;
    this.executor = executor;
  }

  void add(ChangedNameListener listener) {
    listeners.add(listener);
    renew();
  }

  /** Registering takes at least one round trip; no caller waits for it. */
  synchronized void renew() {
    if (!listeners.isEmpty() && (events == null || events.isCompletedExceptionally())) {
      events = CompletableFuture.supplyAsync(() -> store.watch(this::publish), executor);
      events.whenComplete((registered, failure) -> registered(failure));
    }
  }

  private synchronized void registered(@Nullable Throwable failure) {
    if (failure != null && !failed) {
      LOG.warn("No events of new versions at present; subscriptions poll for them", failure);
    }
    failed = failure != null;
  }

  void remove(Consumer<String> names) {
    listeners.removeIf(h -> h.names() == names);
    stopIfUnused();
  }

  private synchronized void stopIfUnused() {
    CompletableFuture<Optional<AutoCloseable>> unused = events;
    if (listeners.isEmpty() && unused != null) {
      events = null;
      unused.thenAcceptAsync(
          registered -> registered.ifPresent(StoreEventHub::unregister), executor);
    }
  }

  private static void unregister(AutoCloseable registered) {
    try {
      registered.close();
    } catch (Exception e) {
      LOG.debug("A store listener could not be removed", e);
    }
  }

  private void publish(Change change) {
    if (change.key().startsWith(OBJECT)) {
      String name = change.key().substring(OBJECT.length());
      listeners.forEach(h -> h.names().accept(name));
    }
  }

  void close() {
    listeners.forEach(h -> h.closed().run());
    listeners.clear();
    stopIfUnused();
  }
}
