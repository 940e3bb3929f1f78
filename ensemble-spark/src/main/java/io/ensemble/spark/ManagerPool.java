package io.ensemble.spark;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The managers of this process, one for all tasks with the same federation. An executor runs many
 * short tasks, and a manager takes seconds to connect. The first task of a federation connects;
 * only other tasks of that federation wait for it. At most {@value #MOST_IDLE} managers without a
 * task stay open, until the process ends. Thread-safe.
 */
final class ManagerPool {

  static final int MOST_IDLE = 4;

  /** How often a task waits for others that fail to connect. */
  private static final int MOST_ATTEMPTS = 3;

  /** The longest time that a task waits for another one that connects. */
  static final Duration LONGEST_WAIT = Duration.ofMinutes(2);

  /** A manager that tasks share. The pool's lock guards the number of tasks. */
  static final class Shared {
    private final String federation;
    private final CompletableFuture<EnsembleCacheManager> manager = new CompletableFuture<>();
    private int tasks;

    private Shared(String federation) {
      this.federation = federation;
    }
  }

  private static final class OtherTaskFailedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    OtherTaskFailedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The use of a cache by one task. */
  record Lease(ManagerPool pool, Shared shared, EnsembleCache<Object, Object> cache)
      implements AutoCloseable {

    @Override
    public void close() {
      pool.release(shared);
    }
  }

  static final ManagerPool INSTANCE = new ManagerPool(LONGEST_WAIT);

  private final Duration longestWait;
  // Guarded by this object's lock. The manager that was used last is the last one. Of a manager
  // without a task the future is complete.
  private final Map<String, Shared> managers = new LinkedHashMap<>(16, 0.75f, true);

  ManagerPool(Duration longestWait) {
    this.longestWait = longestWait;
  }

  /**
   * Opens the cache of the options.
   *
   * @throws IllegalArgumentException if there is no such cache
   * @throws IllegalStateException if other tasks failed to connect, or one did not end in time
   * @throws CancellationException if this thread is interrupted while another one connects
   */
  Lease open(SourceOptions options) {
    String federation =
        List.of("catalog", "local-site", "setup").stream()
            .map(name -> options.get(name).orElse(""))
            .toList()
            .toString();
    for (int attempt = 1; ; attempt++) {
      try {
        return open(federation, options);
      } catch (OtherTaskFailedException e) { // It may have been killed: connect here.
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Lease open(String federation, SourceOptions options) {
    Shared shared = acquire(federation, options);
    try {
      EnsembleCache<Object, Object> cache = awaited(shared).getCache(options.cache());
      if (cache == null) {
        throw new IllegalArgumentException("no such cache: " + options.cache());
      }
      EnsembleCache<Object, Object> view =
          options.deadline().map(cache::withDeadline).orElse(cache);
      return new Lease(this, shared, view);
    } catch (RuntimeException e) {
      release(shared);
      throw e;
    }
  }

  /** Connects without the lock, as a catalog that hangs may take long. */
  private Shared acquire(String federation, SourceOptions options) {
    Shared shared;
    boolean isFirst;
    synchronized (this) {
      Shared found = managers.get(federation);
      isFirst = found == null;
      shared = found == null ? new Shared(federation) : found;
      managers.put(federation, shared);
      shared.tasks++;
    }
    if (isFirst) {
      try {
        shared.manager.complete(manager(options));
      } catch (RuntimeException | Error e) {
        synchronized (this) {
          managers.remove(federation, shared); // The next task tries again.
        }
        shared.manager.completeExceptionally(e);
        throw e;
      }
    }
    return shared;
  }

  private EnsembleCacheManager awaited(Shared shared) {
    try {
      return shared.manager.get(longestWait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException e) { // The latter if it was killed.
      throw new OtherTaskFailedException(
          "another task failed to connect; federation=" + shared.federation, e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "another task must connect within %s; federation=%s"
              .formatted(longestWait, shared.federation),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled = new CancellationException("the task was interrupted");
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  private static EnsembleCacheManager manager(SourceOptions options) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    options.get("catalog").ifPresent(builder::catalog);
    options.get("local-site").ifPresent(builder::localSite);
    // Executors come and go, and must not begin repairs that outlast them.
    builder.refilling(false);
    options
        .get("setup")
        .ifPresent(
            name -> SourceOptions.instance("setup", name, SparkSetup.class).configure(builder));
    return builder.build();
  }

  private void release(Shared released) {
    List<EnsembleCacheManager> ended = new ArrayList<>();
    synchronized (this) {
      released.tasks--;
      long idle = managers.values().stream().filter(shared -> shared.tasks == 0).count();
      var all = managers.values().iterator();
      while (idle > MOST_IDLE && all.hasNext()) {
        Shared oldest = all.next();
        if (oldest.tasks == 0) {
          all.remove();
          ended.add(Objects.requireNonNull(oldest.manager.getNow(null), "connected"));
          idle--;
        }
      }
    }
    ended.forEach(EnsembleCacheManager::stop);
  }

  /** How many managers are open, or being opened. */
  synchronized int size() {
    return managers.size();
  }

  /** How many tasks use managers or wait for them; for tests. */
  synchronized int tasks() {
    return managers.values().stream().mapToInt(shared -> shared.tasks).sum();
  }

  /** Closes all managers that are open; for tests. */
  void closeAll() {
    List<EnsembleCacheManager> all = new ArrayList<>();
    synchronized (this) {
      managers.values().stream()
          .map(shared -> shared.manager.getNow(null))
          .filter(Objects::nonNull)
          .forEach(all::add);
      managers.clear();
    }
    all.forEach(EnsembleCacheManager::stop);
  }
}
