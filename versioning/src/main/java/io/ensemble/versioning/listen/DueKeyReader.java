package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.versioning.drive.VersionFeed.Stamp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys that are due, one after the other and a page at a time, and delivers the versions
 * found before the next read. Thread-safe.
 */
final class DueKeyReader<K, V, T> {

  private final SubscriptionSource<K, V, T> source;
  private final SubscriptionProgress subscriptionProgress;
  private final ListenerDispatcher listenerDispatcher;
  private final UnreadableKeys unreadableKeys;
  private final VersionListener<K, V, T> listener;
  private final Duration pause;
  private final int page;
  private final Executor executor;
  private boolean begun;
  private boolean looking;

  /**
   * Does not read yet.
   *
   * @param pause after which a failed read is repeated
   * @param page the number of versions read at a time
   */
  DueKeyReader(
      SubscriptionSource<K, V, T> source,
      SubscriptionProgress subscriptionProgress,
      ListenerDispatcher listenerDispatcher,
      UnreadableKeys unreadableKeys,
      VersionListener<K, V, T> listener,
      Duration pause,
      int page) {
    this.source = source;
    this.subscriptionProgress = subscriptionProgress;
    this.listenerDispatcher = listenerDispatcher;
    this.unreadableKeys = unreadableKeys;
    this.listener = listener;
    this.pause = pause;
    this.page = page;
    this.executor = source.clockwork().executor();
  }

  /** Starts to read due keys. */
  void begin() {
    synchronized (this) {
      begun = true;
    }
    go();
  }

  /** Keys may be due. */
  void go() {
    String name;
    synchronized (this) {
      name =
          !begun || looking || listenerDispatcher.isClosed() ? null : subscriptionProgress.next();
      if (name == null) {
        return;
      }
      looking = true;
    }
    look(name);
  }

  private void look(String name) {
    KeyPosition mark = subscriptionProgress.mark(name);
    Optional<Stamp> before = subscriptionProgress.seen(name);
    source
        .additions()
        .page(name, mark.sequence(), page)
        .thenApply(found -> DeliveryPlan.of(mark, found, page))
        .whenCompleteAsync(
            (telling, failure) -> {
              if (failure == null) {
                found(name, before, telling);
              } else {
                failed(name, failure);
              }
            },
            executor);
  }

  private void found(String name, @Nullable Optional<Stamp> before, DeliveryPlan<T> telling) {
    unreadableKeys.end(name);
    List<ListenerDispatcher.Call> calls =
        telling.steps().stream().map(step -> call(name, step)).toList();
    listenerDispatcher.tell(
        calls,
        () -> {
          subscriptionProgress.looked(name, before, telling.more());
          ended();
        });
  }

  private ListenerDispatcher.Call call(String name, DeliveryPlan.Step<T> step) {
    return new ListenerDispatcher.Call(
        () -> tell(name, step), () -> subscriptionProgress.told(name, step.then()));
  }

  private void tell(String name, DeliveryPlan.Step<T> step) {
    K key = source.key().apply(name);
    if (step instanceof DeliveryPlan.Added<T> added) {
      T version = added.addition().version();
      source.space().saw(version);
      Optional<V> value = added.addition().value().map(source.value());
      listener.added(new NewVersion<>(key, version, value, added.addition().sequence()));
    } else if (step instanceof DeliveryPlan.Gone<T> gone) {
      listener.missed(new MissedVersions.Gone<>(key, gone.first(), gone.last(), gone.horizon()));
    } else if (step instanceof DeliveryPlan.OtherHistory<T> other) {
      listener.missed(new MissedVersions.OtherHistory<>(key, other.last()));
    }
  }

  private void failed(String name, Throwable failure) {
    if (source.clockwork().timer().isShutdown()) { // The factory was closed before the cache.
      listenerDispatcher.close();
      return;
    }
    unreadableKeys.begin(name, UnwrappedCause.of(failure));
    if (subscriptionProgress.failed(name)) {
      RepeatingTask.later(
          source.clockwork(),
          pause,
          () -> {
            subscriptionProgress.again();
            go();
          });
    }
    ended();
  }

  private void ended() {
    synchronized (this) {
      looking = false;
    }
    go();
  }
}
