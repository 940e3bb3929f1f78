package io.ensemble.rest.resource.object;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.tree.TreeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open handles, kept because opening costs round trips. The number is bounded: at the bound, the
 * least recently used handle without users is closed. Thread-safe.
 */
final class HandleCache<T extends AutoCloseable> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HandleCache.class);
  private static final int FIRST_SIZE = 16;
  private static final float USUAL_LOAD = 0.75f;

  /** The kind of the tasks that close handles. */
  private static final String CLOSING = "closing";

  private final String kind;
  private final String cache;
  private final int maxHandles;
  private final BlockingTaskPool blockingTaskPool;
  private final Map<String, Kept<T>> handles = new LinkedHashMap<>(FIRST_SIZE, USUAL_LOAD, true);
  private boolean closed;

  private static final class Kept<T> {
    private final T handle;
    private int useCount;
    private boolean isDropped;

    Kept(T handle) {
      this.handle = handle;
    }
  }

  /**
   * @param kind the kind of handles, for messages
   * @param cache the cache of their objects
   */
  HandleCache(String kind, String cache, int maxHandles, BlockingTaskPool blockingTaskPool) {
    this.kind = kind;
    this.cache = cache;
    this.maxHandles = maxHandles;
    this.blockingTaskPool = blockingTaskPool;
  }

  /**
   * Applies {@code use} to the handle of that name. If the handle was open already, and its object
   * is gone or the handle cannot read it, then the call had no effect, and {@code use} is applied
   * once more to a new handle.
   *
   * @param opener opens a handle; may block; not called if the handle is open already
   */
  <R> CompletionStage<R> call(
      String name, Supplier<T> opener, Function<T, CompletionStage<R>> use) {
    CompletionStage<R> stage = callIfOpen(name, use);
    if (stage == null) {
      return openAndCall(name, opener, use);
    }
    return stage
        .handle(
            (result, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(result);
              }
              return isOfStaleHandle(failure)
                  ? openAndCall(name, opener, use)
                  : CompletableFuture.<R>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  /** Applies {@code use} to the handle of that name if it is open; otherwise null. */
  <R> @Nullable CompletionStage<R> callIfOpen(String name, Function<T, CompletionStage<R>> use) {
    Kept<T> entry = acquire(name);
    return entry == null ? null : callHandle(name, entry, use);
  }

  private <R> CompletionStage<R> openAndCall(
      String name, Supplier<T> opener, Function<T, CompletionStage<R>> use) {
    return blockingTaskPool
        .open(cache, () -> acquireOrOpen(name, opener))
        .thenCompose(entry -> callHandle(name, entry, use));
  }

  private <R> CompletionStage<R> callHandle(
      String name, Kept<T> entry, Function<T, CompletionStage<R>> use) {
    CompletionStage<R> stage;
    try {
      stage = use.apply(entry.handle);
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.whenComplete(
        (result, failure) -> release(name, entry, failure != null && isOfStaleHandle(failure)));
  }

  /** Whether each call of the same handle will fail so, and one of a new handle may succeed. */
  static boolean isOfStaleHandle(Throwable failure) {
    Throwable cause = ProblemMapper.unwrap(failure);
    return cause instanceof AtomicObjectException.NoSuchObject
        || cause instanceof TreeException.NoSuchTree
        || cause instanceof AtomicObjectException.ObjectUnreadable;
  }

  private void release(String name, Kept<T> entry, boolean isStale) {
    boolean isLastUse;
    synchronized (this) {
      entry.useCount--;
      if (isStale && !entry.isDropped) {
        entry.isDropped = true;
        handles.remove(name, entry);
      }
      isLastUse = entry.isDropped && entry.useCount == 0;
    }
    if (isLastUse) {
      closeAsync(entry.handle);
    }
  }

  /**
   * Closes a handle on another thread, because closing blocks. If that thread pool is full, the
   * handle is closed later with its factory.
   */
  private void closeAsync(T handle) {
    try {
      blockingTaskPool.run(CLOSING, () -> close(handle));
    } catch (RejectedExecutionException busy) {
      LOG.info("a handle of {} stays open, because too many tasks are in progress", kind);
    }
  }

  private synchronized @Nullable Kept<T> acquire(String name) {
    Kept<T> entry = handles.get(name);
    if (entry != null) {
      entry.useCount++;
    }
    return entry;
  }

  private Kept<T> acquireOrOpen(String name, Supplier<T> opener) {
    Kept<T> entry = acquire(name);
    if (entry != null) {
      return entry;
    }
    Kept<T> created = new Kept<>(opener.get());
    created.useCount = 1;
    List<T> evicted = new ArrayList<>();
    Kept<T> result;
    synchronized (this) {
      Kept<T> concurrent = handles.get(name);
      boolean full = concurrent == null && !makeRoom(evicted);
      if (closed || full) {
        evicted.add(created.handle);
        result = null;
      } else if (concurrent != null) {
        evicted.add(created.handle); // Another thread was first.
        concurrent.useCount++;
        result = concurrent;
      } else {
        handles.put(name, created);
        result = created;
      }
    }
    evicted.forEach(HandleCache::close);
    if (result == null) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d %s of a cache can be used at the same time; nothing was done"
                      .formatted(maxHandles, kind))
              .header("Retry-After", "1"));
    }
    return result;
  }

  /** Called under this object's lock. */
  private boolean makeRoom(List<T> evicted) {
    Iterator<Kept<T>> iterator = handles.values().iterator();
    while (handles.size() >= maxHandles && iterator.hasNext()) {
      Kept<T> entry = iterator.next();
      if (entry.useCount == 0) {
        evicted.add(entry.handle);
        iterator.remove();
      }
    }
    return handles.size() < maxHandles;
  }

  private static void close(AutoCloseable handle) {
    try {
      handle.close();
    } catch (Exception e) {
      LOG.warn("a handle could not be closed", e);
    }
  }

  /** Drops a handle, which is closed after its last use. */
  void drop(String name) {
    Kept<T> entry = acquire(name);
    if (entry != null) {
      release(name, entry, true);
    }
  }

  /** Drops all handles. They are closed with their factory. */
  @Override
  public synchronized void close() {
    closed = true;
    handles.clear();
  }
}
