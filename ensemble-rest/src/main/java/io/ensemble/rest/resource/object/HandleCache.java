package io.ensemble.rest.resource.object;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.resource.context.BlockingTaskPool;
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

  private final String what;
  private final int most;
  private final BlockingTaskPool blockingTaskPool;
  private final Map<String, Kept<T>> kept = new LinkedHashMap<>(FIRST_SIZE, USUAL_LOAD, true);
  private boolean closed;

  private static final class Kept<T> {
    private final T handle;
    private int users;
    private boolean dropped;

    Kept(T handle) {
      this.handle = handle;
    }
  }

  /**
   * @param what the kind of handles, for messages
   */
  HandleCache(String what, int most, BlockingTaskPool blockingTaskPool) {
    this.what = what;
    this.most = most;
    this.blockingTaskPool = blockingTaskPool;
  }

  /**
   * Applies {@code use} to the handle of that name. If its object is gone, or the handle cannot
   * read it, the call had no effect, and {@code use} is applied once more to a new handle.
   *
   * @param opening opens a handle; may block; not called if the handle is open already
   */
  <R> CompletionStage<R> with(
      String name, Supplier<T> opening, Function<T, CompletionStage<R>> use) {
    return once(name, opening, use)
        .handle(
            (done, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(done);
              }
              return isUseless(failure)
                  ? once(name, opening, use)
                  : CompletableFuture.<R>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  /** Applies {@code use} to the handle of that name if it is open; otherwise null. */
  <R> @Nullable CompletionStage<R> ifOpen(String name, Function<T, CompletionStage<R>> use) {
    Kept<T> known = taken(name);
    return known == null ? null : used(name, known, use);
  }

  private <R> CompletionStage<R> once(
      String name, Supplier<T> opening, Function<T, CompletionStage<R>> use) {
    CompletionStage<R> known = ifOpen(name, use);
    return known != null
        ? known
        : blockingTaskPool
            .waitFor(() -> opened(name, opening))
            .thenCompose(one -> used(name, one, use));
  }

  private <R> CompletionStage<R> used(
      String name, Kept<T> one, Function<T, CompletionStage<R>> use) {
    CompletionStage<R> stage;
    try {
      stage = use.apply(one.handle);
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.whenComplete(
        (done, failure) -> free(name, one, failure != null && isUseless(failure)));
  }

  /** Whether a new handle of that name may succeed. */
  static boolean isUseless(Throwable failure) {
    Throwable bare = ProblemMapper.bare(failure);
    return bare instanceof AtomicObjectException.NoSuchObject
        || bare instanceof AtomicObjectException.ObjectUnreadable;
  }

  private void free(String name, Kept<T> one, boolean useless) {
    boolean last;
    synchronized (this) {
      one.users--;
      if (useless && !one.dropped) {
        one.dropped = true;
        kept.remove(name, one);
      }
      last = one.dropped && one.users == 0;
    }
    if (last) {
      closeSoon(one.handle);
    }
  }

  /**
   * Closes a handle on another thread, because closing blocks. If that thread pool is full, the
   * handle is closed later with its factory.
   */
  private void closeSoon(T handle) {
    try {
      blockingTaskPool.run(() -> close(handle));
    } catch (RejectedExecutionException busy) {
      LOG.info("a handle of {} stays open, because too many tasks are in progress", what);
    }
  }

  private synchronized @Nullable Kept<T> taken(String name) {
    Kept<T> known = kept.get(name);
    if (known != null) {
      known.users++;
    }
    return known;
  }

  private Kept<T> opened(String name, Supplier<T> opening) {
    Kept<T> known = taken(name);
    if (known != null) {
      return known;
    }
    Kept<T> mine = new Kept<>(opening.get());
    mine.users = 1;
    List<T> over = new ArrayList<>();
    Kept<T> found;
    synchronized (this) {
      Kept<T> other = kept.get(name);
      boolean full = other == null && !makeRoom(over);
      if (closed || full) {
        over.add(mine.handle);
        found = null;
      } else if (other != null) {
        over.add(mine.handle); // Another thread was first.
        other.users++;
        found = other;
      } else {
        kept.put(name, mine);
        found = mine;
      }
    }
    over.forEach(HandleCache::close);
    if (found == null) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d %s of a cache can be used at the same time; nothing was done"
                      .formatted(most, what))
              .header("Retry-After", "1"));
    }
    return found;
  }

  /** Called under this object's lock. */
  private boolean makeRoom(List<T> over) {
    Iterator<Kept<T>> oldest = kept.values().iterator();
    while (kept.size() >= most && oldest.hasNext()) {
      Kept<T> one = oldest.next();
      if (one.users == 0) {
        over.add(one.handle);
        oldest.remove();
      }
    }
    return kept.size() < most;
  }

  private static void close(AutoCloseable handle) {
    try {
      handle.close();
    } catch (Exception e) {
      LOG.warn("a handle could not be closed", e);
    }
  }

  /** Drops a handle, which is closed after its last use. */
  void forget(String name) {
    Kept<T> one = taken(name);
    if (one != null) {
      free(name, one, true);
    }
  }

  /** Drops all handles. They are closed with their factory. */
  @Override
  public synchronized void close() {
    closed = true;
    kept.clear();
  }
}
