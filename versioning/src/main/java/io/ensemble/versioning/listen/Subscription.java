package io.ensemble.versioning.listen;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A listener to which new versions are delivered. Each added version is delivered once, except that
 * a delivery is repeated if the listener throws. The versions of one key are delivered in the order
 * of their additions, those of different keys in any order. Thread-safe.
 */
public final class Subscription implements AutoCloseable {

  private final String cache;
  private final String prefix;
  private final SubscriptionProgress subscriptionProgress;
  private final ListenerDispatcher listenerDispatcher;
  private final UnreadableKeys unreadableKeys;

  Subscription(
      String cache,
      String prefix,
      SubscriptionProgress subscriptionProgress,
      ListenerDispatcher listenerDispatcher,
      UnreadableKeys unreadableKeys) {
    this.cache = cache;
    this.prefix = prefix;
    this.subscriptionProgress = subscriptionProgress;
    this.listenerDispatcher = listenerDispatcher;
    this.unreadableKeys = unreadableKeys;
  }

  /**
   * The position of this subscription: a subscription that begins from it continues exactly after
   * the versions for which the listener has returned. Costs a copy of the positions of all keys.
   * Also usable after this subscription was closed or has ended by itself.
   */
  public SubscriptionPosition position() {
    Map<String, KeyPosition> positions = new HashMap<>();
    subscriptionProgress
        .position()
        .forEach(
            (name, keyPosition) -> positions.put(name.substring(prefix.length()), keyPosition));
    return new SubscriptionPosition(cache, positions);
  }

  /**
   * The failure that prevents reads of some or all versions at present; empty if there is none. The
   * subscription continues to retry.
   */
  public Optional<Throwable> failing() {
    return unreadableKeys.now();
  }

  /**
   * Completes after this was closed and no call of the listener is in progress. Fails if the
   * subscription has ended by itself, with the exception that the listener threw too often.
   * Completes on any thread.
   */
  public CompletionStage<Void> ended() {
    return listenerDispatcher.ended();
  }

  /**
   * Ends the subscription. After this method has returned, no call of the listener begins; a call
   * in progress is not awaited. Closing the cache also closes the subscription.
   */
  @Override
  public void close() {
    listenerDispatcher.close();
  }
}
