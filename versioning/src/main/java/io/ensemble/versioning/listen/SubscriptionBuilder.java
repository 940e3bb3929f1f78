package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.BlockingWait;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The keys and the start position of a subscription; each option has a default. */
public final class SubscriptionBuilder<K, V, T> {

  private static final int PAGE = 64;
  private static final int REPEATS = 8;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final SubscriptionSource<K, V, T> source;
  private @Nullable Set<String> names;
  private @Nullable SubscriptionPosition from;
  private Duration every = Duration.ofSeconds(5);
  private Duration keysEvery = Duration.ofMinutes(1);
  private int repeats = REPEATS;
  private int page = PAGE;

  /** By default for all keys of a cache, from now on. */
  public SubscriptionBuilder(SubscriptionSource<K, V, T> source) {
    this.source = source;
  }

  /** Selects these keys; by default all keys of the cache. */
  public SubscriptionBuilder<K, V, T> keys(Collection<? extends K> some) {
    if (some.isEmpty()) {
      throw new IllegalArgumentException("a subscription requires one or more keys");
    }
    Set<String> wanted = new LinkedHashSet<>();
    some.forEach(key -> wanted.add(source.naming().apply(key)));
    names = wanted;
    return this;
  }

  /** Selects this key. */
  public SubscriptionBuilder<K, V, T> key(K one) {
    return keys(List.of(one));
  }

  /**
   * Sets the start position: that of another subscription, or {@link
   * SubscriptionPosition#BEGINNING}. By default versions that are added after {@link #start} has
   * returned.
   *
   * @throws IllegalArgumentException if it is a position of another cache
   */
  public SubscriptionBuilder<K, V, T> from(SubscriptionPosition position) {
    position.check(source.cache());
    from = position;
    return this;
  }

  /**
   * Sets how often each key is polled for additions without an event; by default every 5 seconds.
   * Costs one read of the store for each key and poll, 16 in parallel.
   */
  public SubscriptionBuilder<K, V, T> every(Duration between) {
    every = positive(between);
    return this;
  }

  /**
   * Sets how often the keys of the whole cache are iterated, to find new keys without an event; by
   * default every minute. An iteration over all keys of the store.
   */
  public SubscriptionBuilder<K, V, T> keysEvery(Duration between) {
    keysEvery = positive(between);
    return this;
  }

  private static Duration positive(Duration between) {
    if (between.isNegative() || between.isZero()) {
      throw new IllegalArgumentException("poll interval must be above zero; got " + between);
    }
    return between;
  }

  /**
   * Sets how often a call of the listener that throws is repeated before the subscription ends; by
   * default 8 times.
   */
  public SubscriptionBuilder<K, V, T> repeats(int atMost) {
    if (atMost < 0) {
      throw new IllegalArgumentException("number of repeats must be 0 or more; got " + atMost);
    }
    repeats = atMost;
    return this;
  }

  /** Sets the number of versions that are read at a time, with their values; by default 64. */
  public SubscriptionBuilder<K, V, T> page(int versions) {
    if (versions < 1) {
      throw new IllegalArgumentException("page size must be 1 version or more; got " + versions);
    }
    page = versions;
    return this;
  }

  /**
   * Starts the subscription. Blocks, and fails, as reads of the cache do, only if it begins from
   * now on, which takes a read of each key.
   */
  public Subscription start(VersionListener<K, V, T> listener) {
    return BlockingWait.toItsEnd(startAsync(listener));
  }

  /** As {@link #start}, without waiting. */
  public CompletionStage<Subscription> startAsync(VersionListener<K, V, T> listener) {
    Set<String> chosen = names;
    SubscriptionPosition position = from;
    Predicate<String> isSelected =
        chosen == null ? name -> name.startsWith(source.prefix()) : chosen::contains;
    SubscriptionProgress progress = new SubscriptionProgress(isSelected);
    ListenerDispatcher dispatcher =
        new ListenerDispatcher(source.cache(), source.clockwork(), repeats);
    UnreadableKeys unreadableKeys = new UnreadableKeys(source.cache());
    Duration pause = every.compareTo(PAUSE) < 0 ? every : PAUSE;
    DueKeyReader<K, V, T> reader =
        new DueKeyReader<>(source, progress, dispatcher, unreadableKeys, listener, pause, page);
    ChangePoller poller =
        new ChangePoller(
            source, progress, unreadableKeys, reader::readNext, chosen == null, every, keysEvery);
    Subscription subscription =
        new Subscription(source.cache(), source.prefix(), progress, dispatcher, unreadableKeys);
    Consumer<String> hints = hints(progress, reader);
    source.additions().addListener(hints, dispatcher::close);
    dispatcher.closed(
        () -> {
          poller.stop();
          source.additions().removeListener(hints);
        });
    return ready(progress, chosen, position, poller)
        .thenApply(
            done -> {
              reader.begin();
              poller.begin(position == null);
              return subscription;
            })
        .whenComplete(
            (begun, failure) -> {
              if (failure != null) {
                dispatcher.close();
              }
            });
  }

  /** Called on threads of the store. */
  private Consumer<String> hints(SubscriptionProgress progress, DueKeyReader<K, V, T> reader) {
    Executor executor = source.clockwork().executor();
    return name -> {
      if (progress.hint(name)) {
        executor.execute(reader::readNext);
      }
    };
  }

  /** Completes when the start position of each key is known. */
  private CompletionStage<Void> ready(
      SubscriptionProgress progress,
      @Nullable Set<String> chosen,
      @Nullable SubscriptionPosition position,
      ChangePoller poller) {
    return position == null
        ? fromNow(progress, chosen, poller)
        : CompletableFuture.runAsync(
            () -> take(progress, chosen, position), source.clockwork().executor());
  }

  private void take(
      SubscriptionProgress progress, @Nullable Set<String> chosen, SubscriptionPosition position) {
    Map<String, KeyPosition> positions = new HashMap<>();
    position
        .positions()
        .forEach((key, keyPosition) -> positions.put(source.prefix() + key, keyPosition));
    progress.take(positions);
    if (chosen != null) {
      chosen.forEach(progress::found);
    }
  }

  private CompletionStage<Void> fromNow(
      SubscriptionProgress progress, @Nullable Set<String> chosen, ChangePoller poller) {
    return CompletableFuture.completedFuture(chosen)
        .thenCompose(
            some ->
                some == null
                    ? poller.walked()
                    : CompletableFuture.completedFuture(List.copyOf(some)))
        .thenCompose(
            all ->
                ParallelForEach.each(
                    all, name -> begun(progress, name), source.clockwork().executor()));
  }

  /** All present versions were added before the start. */
  private CompletionStage<Void> begun(SubscriptionProgress progress, String name) {
    return source
        .additions()
        .page(name, Long.MAX_VALUE, 1)
        .thenAccept(
            found ->
                progress.begin(
                    name,
                    found
                        .map(
                            p ->
                                new KeyPosition(KeyPosition.history(p.history()), p.lastSequence()))
                        .orElse(KeyPosition.NONE)));
  }
}
