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
  private boolean reading;

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
    readNext();
  }

  /** Keys may be due. */
  void readNext() {
    String name;
    synchronized (this) {
      name =
          !begun || reading || listenerDispatcher.isClosed() ? null : subscriptionProgress.next();
      if (name == null) {
        return;
      }
      reading = true;
    }
    read(name);
  }

  private void read(String name) {
    KeyPosition position = subscriptionProgress.position(name);
    Optional<Stamp> before = subscriptionProgress.seen(name);
    source
        .additions()
        .page(name, position.sequence(), page)
        .thenApply(found -> DeliveryPlan.of(position, found, page))
        .whenCompleteAsync(
            (plan, failure) -> {
              if (failure == null) {
                found(name, before, plan);
              } else {
                failed(name, failure);
              }
            },
            executor);
  }

  private void found(String name, @Nullable Optional<Stamp> before, DeliveryPlan<T> plan) {
    unreadableKeys.end(name);
    List<ListenerDispatcher.Call> calls =
        plan.steps().stream().map(step -> call(name, step)).toList();
    listenerDispatcher.dispatch(
        calls,
        () -> {
          subscriptionProgress.pageDelivered(name, before, plan.more());
          ended();
        });
  }

  private ListenerDispatcher.Call call(String name, DeliveryPlan.Step<T> step) {
    return new ListenerDispatcher.Call(
        () -> deliver(name, step), () -> subscriptionProgress.delivered(name, step.then()));
  }

  private void deliver(String name, DeliveryPlan.Step<T> step) {
    K key = source.key().apply(name);
    if (step instanceof DeliveryPlan.Added<T> added) {
      T version = added.addition().version();
      source.space().observe(version);
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
            subscriptionProgress.retryFailed();
            readNext();
          });
    }
    ended();
  }

  private void ended() {
    synchronized (this) {
      reading = false;
    }
    readNext();
  }
}
