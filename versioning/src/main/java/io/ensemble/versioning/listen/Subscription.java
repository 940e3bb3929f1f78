package io.ensemble.versioning.listen;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A listener that is being told new versions. Each version that is added is told once, but for what
 * the listener threw at; of each key in the order in which versions were added, of different keys
 * in any order. Thread-safe.
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
   * How far it has come: another one that begins from there goes on exactly after the versions at
   * which the listener has returned. Costs a copy of what is known of each key. Of use also when
   * this is closed, or has ended by itself.
   */
  public SubscriptionPosition position() {
    Map<String, KeyPosition> marks = new HashMap<>();
    subscriptionProgress
        .position()
        .forEach((name, mark) -> marks.put(name.substring(prefix.length()), mark));
    return new SubscriptionPosition(cache, marks);
  }

  /**
   * What keeps it from reading some of what it is to tell, or all, at present; empty if nothing
   * does. It goes on asking.
   */
  public Optional<Throwable> failing() {
    return unreadableKeys.now();
  }

  /**
   * Completes once this is closed and no call of the listener is under way; fails if it has ended
   * by itself, with what the listener threw too often. Completes on any thread.
   */
  public CompletionStage<Void> ended() {
    return listenerDispatcher.ended();
  }

  /**
   * Ends it. When this has returned, no call of the listener begins; one that is under way is not
   * waited for. The cache closes it, too.
   */
  @Override
  public void close() {
    listenerDispatcher.close();
  }
}
