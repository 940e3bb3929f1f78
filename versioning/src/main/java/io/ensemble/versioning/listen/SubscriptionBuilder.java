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
    Predicate<String> listened =
        chosen == null ? name -> name.startsWith(source.prefix()) : chosen::contains;
    SubscriptionProgress ledger = new SubscriptionProgress(listened);
    ListenerDispatcher teller = new ListenerDispatcher(source.cache(), source.clockwork(), repeats);
    UnreadableKeys troubles = new UnreadableKeys(source.cache());
    Duration pause = every.compareTo(PAUSE) < 0 ? every : PAUSE;
    DueKeyReader<K, V, T> looks =
        new DueKeyReader<>(source, ledger, teller, troubles, listener, pause, page);
    ChangePoller rounds =
        new ChangePoller(source, ledger, troubles, looks::go, chosen == null, every, keysEvery);
    Subscription subscription =
        new Subscription(source.cache(), source.prefix(), ledger, teller, troubles);
    Consumer<String> hints = hints(ledger, looks);
    source.additions().hear(hints, teller::close);
    teller.closed(
        () -> {
          rounds.stop();
          source.additions().unhear(hints);
        });
    return ready(ledger, chosen, position, rounds)
        .thenApply(
            done -> {
              looks.begin();
              rounds.begin(position == null);
              return subscription;
            })
        .whenComplete(
            (begun, failure) -> {
              if (failure != null) {
                teller.close();
              }
            });
  }

  /** Called on threads of the store. */
  private Consumer<String> hints(SubscriptionProgress ledger, DueKeyReader<K, V, T> looks) {
    Executor executor = source.clockwork().executor();
    return name -> {
      if (ledger.hint(name)) {
        executor.execute(looks::go);
      }
    };
  }

  /** Completes when the start position of each key is known. */
  private CompletionStage<Void> ready(
      SubscriptionProgress ledger,
      @Nullable Set<String> chosen,
      @Nullable SubscriptionPosition position,
      ChangePoller rounds) {
    return position == null
        ? fromNow(ledger, chosen, rounds)
        : CompletableFuture.runAsync(
            () -> take(ledger, chosen, position), source.clockwork().executor());
  }

  private void take(
      SubscriptionProgress ledger, @Nullable Set<String> chosen, SubscriptionPosition position) {
    Map<String, KeyPosition> marks = new HashMap<>();
    position.marks().forEach((key, mark) -> marks.put(source.prefix() + key, mark));
    ledger.take(marks);
    if (chosen != null) {
      chosen.forEach(ledger::found);
    }
  }

  private CompletionStage<Void> fromNow(
      SubscriptionProgress ledger, @Nullable Set<String> chosen, ChangePoller rounds) {
    return CompletableFuture.completedFuture(chosen)
        .thenCompose(
            some ->
                some == null
                    ? rounds.walked()
                    : CompletableFuture.completedFuture(List.copyOf(some)))
        .thenCompose(
            all ->
                ParallelForEach.each(
                    all, name -> begun(ledger, name), source.clockwork().executor()));
  }

  /** All present versions were added before the start. */
  private CompletionStage<Void> begun(SubscriptionProgress ledger, String name) {
    return source
        .additions()
        .page(name, Long.MAX_VALUE, 1)
        .thenAccept(
            found ->
                ledger.begin(
                    name,
                    found
                        .map(
                            p ->
                                new KeyPosition(KeyPosition.history(p.history()), p.lastSequence()))
                        .orElse(KeyPosition.NONE)));
  }
}
