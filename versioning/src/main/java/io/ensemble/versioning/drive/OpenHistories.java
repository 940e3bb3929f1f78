package io.ensemble.versioning.drive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.AtomicObjectException.ObjectUnreadable;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.ObservedState;
import io.ensemble.objects.RootSizes;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.versioning.history.Footprint;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.history.VersionHistory;
import io.ensemble.versioning.history.VersionHistoryCodec;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.order.VersionSpace;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The histories of the keys of a cache. Recently written histories are open; others are read
 * without being opened. Thread-safe.
 */
final class OpenHistories {

  private static final class Open {
    final CompletableFuture<HistoryCalls> proxy;

    /** Whether this process created it, and no caller has asked yet. */
    final AtomicBoolean fresh;

    int calls;
    boolean broken;

    Open(CompletableFuture<HistoryCalls> proxy, AtomicBoolean fresh) {
      this.proxy = proxy;
      this.fresh = fresh;
    }
  }

  /**
   * The versions of a shard, values before they are packed, and a pack being written fit into the
   * root, so that a read is one round trip. A larger history has a short tail.
   */
  private static final RootSizes SIZES = new RootSizes(24 << 10, 8 << 10, 8);

  private final AtomicObjectFactory factory;
  private final ObjectType<HistoryCalls> type;
  private final Supplier<HistoryCalls> first;
  private final int mostOpen;
  private final @Nullable OpenHistories sequentialHistories;
  private final boolean sequential;
  private final Map<String, Open> open = new LinkedHashMap<>(16, 0.75f, true);

  /** The last states of histories that are not open; these states must not be changed. */
  private final Cache<String, ObservedState<HistoryCalls>> observed;

  /**
   * @param keptBytes the maximum bytes of cached states
   * @param sequentialHistories the histories that are read sequentially, whose reads are never
   *     older than reads here; null if this instance is for sequential reads: a history that is
   *     read is then opened, and reads may be somewhat old
   */
  <T> OpenHistories(
      AtomicObjectFactory factory,
      VersionSpace<T> space,
      HistoryLimits limits,
      int mostOpen,
      long keptBytes,
      @Nullable OpenHistories sequentialHistories) {
    this.factory = factory;
    this.sequentialHistories = sequentialHistories;
    this.sequential = sequentialHistories == null;
    this.mostOpen = mostOpen;
    this.observed =
        Caffeine.newBuilder()
            .maximumWeight(keptBytes)
            .<String, ObservedState<HistoryCalls>>weigher(
                (key, seen) -> Footprint.bytes(seen.state()))
            .executor(Runnable::run)
            .build();
    this.first = () -> new VersionHistory<>(space, limits, UUID.randomUUID().toString());
    this.type =
        ObjectType.of(HistoryCalls.class, first)
            .codec(new VersionHistoryCodec<>(space, limits))
            .named("ensemble.history")
            .sizes(SIZES);
  }

  /** Makes one call that changes nothing; empty if the key has no history. */
  <R> CompletionStage<Optional<R>> look(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    Open held = sequential ? acquire(name, this::openedSequential) : acquireIfOpen(name);
    return present(held == null ? readUnopened(name, call) : called(name, held, call));
  }

  private static <R> CompletionStage<Optional<R>> present(CompletionStage<R> answer) {
    return answer
        .thenApply(Optional::ofNullable)
        .exceptionally(
            failure -> {
              if (UnwrappedCause.of(failure) instanceof NoSuchObject) {
                return Optional.empty();
              }
              throw failure instanceof CompletionException e ? e : new CompletionException(failure);
            });
  }

  /**
   * Reads without opening the history, unless the key is also read sequentially. Sequential reads
   * must not be older than a result of this method; so the read then uses the session that they
   * use.
   */
  private <R> CompletionStage<R> readUnopened(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return sequentialOpen(name) != null
        ? readAfterOpening(name, call)
        : readObserved(name, call)
            .thenCompose(
                answer ->
                    sequentialOpen(name) == null
                        ? CompletableFuture.completedFuture(answer)
                        : readAfterOpening(name, call));
  }

  private <R> CompletionStage<R> readObserved(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    ObservedState<HistoryCalls> before = observed.getIfPresent(name);
    return ObservedState.of(factory, name, type, before)
        .thenCompose(
            seen -> {
              if (seen.isEmpty()) {
                return factory.glance(name, type, call);
              }
              if (seen.get() != before) {
                observed.put(name, seen.get());
              }
              return CompletableFuture.completedFuture(call.apply(seen.get().state()));
            });
  }

  /** The last state of a history that is not open; null if this process has none. */
  @Nullable HistoryCalls before(String name) {
    ObservedState<HistoryCalls> seen =
        sequential || openOrNull(name) != null ? null : observed.getIfPresent(name);
    return seen == null ? null : seen.state();
  }

  private @Nullable Open sequentialOpen(String name) {
    OpenHistories all = sequentialHistories;
    return all == null ? null : all.openOrNull(name);
  }

  private <R> CompletionStage<R> readAfterOpening(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    Open sequentialOpen = sequentialOpen(name);
    CompletionStage<?> opened =
        sequentialOpen == null ? CompletableFuture.completedFuture(null) : sequentialOpen.proxy;
    return opened
        .handle((proxy, failure) -> failure)
        .thenCompose(failure -> throughSession(name, call));
  }

  /** Makes the call through the session of this process, which later reads continue from. */
  private <R> CompletionStage<R> throughSession(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return factory
        .openAsync(name, type)
        .thenCompose(
            proxy ->
                factory
                    .<HistoryCalls, R>async(proxy, call)
                    .whenComplete((answer, failure) -> factory.closeAsync(proxy)));
  }

  /** Makes one call; creates a history if the key has none. */
  <R> CompletionStage<R> change(String name, Function<? super HistoryCalls, ? extends R> call) {
    return called(name, acquire(name, this::opened), call);
  }

  /**
   * Opens the history of a key, and creates it if there is none. True if it was created; only for
   * the first caller.
   */
  CompletionStage<Boolean> isNew(String name) {
    Open held = acquire(name, this::opened);
    return held.proxy
        .thenApply(proxy -> held.fresh.getAndSet(false))
        .whenComplete((made, failure) -> release(name, held, failure));
  }

  private synchronized @Nullable Open openOrNull(String name) {
    return open.get(name);
  }

  private synchronized @Nullable Open acquireIfOpen(String name) {
    Open held = open.get(name);
    if (held != null) {
      held.calls++;
    }
    return held;
  }

  private Open acquire(String name, Function<String, Open> opening) {
    Open held;
    List<Open> surplus;
    synchronized (this) {
      held = open.computeIfAbsent(name, opening);
      held.calls++;
      surplus = surplus();
    }
    surplus.forEach(this::close);
    return held;
  }

  /**
   * The first state may have been read before this process wrote or read the key in a session that
   * is closed by now. So the object is read once more before its first call.
   */
  private Open openedSequential(String name) {
    return new Open(
        factory
            .openSequentialAsync(name, type)
            .thenCompose(
                proxy ->
                    throughSession(name, h -> h.look(VersionQuery.last()))
                        .handle(
                            (look, failure) -> {
                              if (failure == null) {
                                return proxy;
                              }
                              factory.closeAsync(proxy);
                              throw failure instanceof CompletionException e
                                  ? e
                                  : new CompletionException(failure);
                            }))
            .toCompletableFuture(),
        new AtomicBoolean());
  }

  private Open opened(String name) {
    AtomicBoolean fresh = new AtomicBoolean();
    return new Open(
        factory
            .makeAsync(name, type, first.get())
            .thenApply(
                made -> {
                  fresh.set(made.created());
                  return made.proxy();
                })
            .toCompletableFuture(),
        fresh);
  }

  private <R> CompletionStage<R> called(
      String name, Open held, Function<? super HistoryCalls, ? extends R> call) {
    return held.proxy
        .<R>thenCompose(proxy -> factory.async(proxy, call))
        .whenComplete((result, failure) -> release(name, held, failure));
  }

  /**
   * A history that could not be opened, or has ended here, is opened again by the next call. It is
   * closed after its last call in progress.
   */
  private void release(String name, Open held, @Nullable Throwable failure) {
    boolean unused;
    synchronized (this) {
      held.calls--;
      held.broken |= held.proxy.isCompletedExceptionally() || isEnd(failure);
      if (held.broken && open.get(name) == held) {
        open.remove(name);
      }
      unused = held.broken && held.calls == 0;
    }
    if (unused) {
      close(held);
    }
  }

  private static boolean isEnd(@Nullable Throwable failure) {
    Throwable cause = failure == null ? null : UnwrappedCause.of(failure);
    return cause instanceof CallRefused
        || cause instanceof NoSuchObject
        || cause instanceof ObjectUnreadable;
  }

  private List<Open> surplus() {
    List<Open> surplus = new ArrayList<>();
    Iterator<Open> eldest = open.values().iterator();
    while (open.size() - surplus.size() > mostOpen && eldest.hasNext()) {
      Open next = eldest.next();
      if (next.calls == 0) {
        surplus.add(next);
      }
    }
    open.values().removeAll(surplus);
    return surplus;
  }

  private void close(Open held) {
    held.proxy.thenAccept(factory::closeAsync);
  }

  /** Whether the history of a key is open for writes. */
  boolean isOpen(String name) {
    return openOrNull(name) != null;
  }

  /** The number of open histories. */
  synchronized int open() {
    return open.size();
  }

  /** Closes all, without waiting. */
  void close() {
    List<Open> all;
    synchronized (this) {
      all = List.copyOf(open.values());
      open.clear();
    }
    all.forEach(this::close);
  }
}
