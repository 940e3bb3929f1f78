package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.UnwrappedCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Detects changes by polling that no event has reported: whether the entry of a key differs from
 * the entry whose versions were all delivered, and for a whole cache, which keys exist.
 * Thread-safe.
 */
final class ChangePoller {

  private static final String WALK = "(the cache's keys)";

  private final SubscriptionSource<?, ?, ?> source;
  private final SubscriptionProgress subscriptionProgress;
  private final UnreadableKeys unreadableKeys;
  private final Runnable due;
  private final boolean whole;
  private final ThreadPoolExecutor walker = DedicatedThreads.named("walk-over-keys");
  private final RepeatingTask checks;
  private final RepeatingTask walks;
  private volatile boolean stopped;

  /**
   * Does not poll yet.
   *
   * @param due runs when keys may be due
   * @param whole whether to find the keys of the cache
   * @param every the time between two checks of all keys
   * @param walkEvery the time between two iterations over the keys of the cache
   */
  ChangePoller(
      SubscriptionSource<?, ?, ?> source,
      SubscriptionProgress subscriptionProgress,
      UnreadableKeys unreadableKeys,
      Runnable due,
      boolean whole,
      Duration every,
      Duration walkEvery) {
    this.source = source;
    this.subscriptionProgress = subscriptionProgress;
    this.unreadableKeys = unreadableKeys;
    this.due = due;
    this.whole = whole;
    this.checks = new RepeatingTask(source.clockwork(), every, this::check);
    this.walks = new RepeatingTask(source.clockwork(), walkEvery, this::find);
  }

  /**
   * Starts polling.
   *
   * @param walked whether the keys of the cache have just been found
   */
  void begin(boolean walked) {
    checks.pause();
    if (whole && walked) {
      walks.pause();
    } else if (whole) {
      walks.begin();
    }
  }

  void stop() {
    stopped = true;
    checks.stop();
    walks.stop();
    walker.shutdownNow();
  }

  private CompletionStage<Void> check() {
    source.additions().renew();
    return ParallelForEach.each(
        subscriptionProgress.names(), this::checked, source.clockwork().executor());
  }

  private CompletionStage<Void> checked(String name) {
    if (stopped) {
      throw new CancellationException("the subscription is closed");
    }
    return source
        .additions()
        .stamp(name)
        .handle(
            (stamp, failure) -> {
              if (failure != null) {
                unreadableKeys.begin(name, UnwrappedCause.of(failure));
              } else if (subscriptionProgress.read(name, stamp)) {
                due.run();
              } else {
                unreadableKeys.end(name);
              }
              return null;
            });
  }

  private CompletionStage<Void> find() {
    return walked()
        .handle(
            (names, failure) -> {
              if (failure != null) {
                unreadableKeys.begin(WALK, UnwrappedCause.of(failure));
              } else {
                unreadableKeys.end(WALK);
                names.forEach(subscriptionProgress::found);
                due.run();
              }
              return null;
            });
  }

  /** The names of the existing keys of the cache, read on a thread that blocks. */
  CompletionStage<List<String>> walked() {
    return CompletableFuture.supplyAsync(
        () -> {
          List<String> names = new ArrayList<>();
          try (CloseableIterator<String> keys = source.additions().names(source.prefix())) {
            while (!stopped && keys.hasNext()) {
              names.add(keys.next());
            }
          }
          return names;
        },
        walker);
  }
}
