package io.ensemble.spark;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The managers of this process, one for all tasks with the same federation. An executor runs many
 * short tasks, and a manager takes seconds to connect. At most {@value #MOST_IDLE} managers without
 * a task stay open, until the process ends. Thread-safe.
 */
final class ManagerPool {

  static final int MOST_IDLE = 4;

  /** A manager that tasks share. */
  private static final class Shared {
    private final EnsembleCacheManager manager;
    private int tasks;

    private Shared(EnsembleCacheManager manager) {
      this.manager = manager;
    }
  }

  /** The use of a cache by one task. */
  record Lease(ManagerPool pool, String federation, EnsembleCache<Object, Object> cache)
      implements AutoCloseable {

    @Override
    public void close() {
      pool.release(federation);
    }
  }

  static final ManagerPool INSTANCE = new ManagerPool();

  // Guarded by this object's lock. The manager that was used last is the last one.
  private final Map<String, Shared> managers = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Opens the cache of the options.
   *
   * @throws IllegalArgumentException if there is no such cache
   */
  Lease open(SourceOptions options) {
    String federation =
        List.of("catalog", "local-site", "setup").stream()
            .map(name -> options.get(name).orElse(""))
            .toList()
            .toString();
    EnsembleCacheManager manager = acquire(federation, options);
    try {
      EnsembleCache<Object, Object> cache = manager.getCache(options.cache());
      if (cache == null) {
        throw new IllegalArgumentException("no such cache: " + options.cache());
      }
      EnsembleCache<Object, Object> view =
          options.deadline().map(cache::withDeadline).orElse(cache);
      return new Lease(this, federation, view);
    } catch (RuntimeException e) {
      release(federation);
      throw e;
    }
  }

  private synchronized EnsembleCacheManager acquire(String federation, SourceOptions options) {
    Shared shared = managers.get(federation);
    if (shared == null) {
      shared = new Shared(manager(options));
      managers.put(federation, shared);
    }
    shared.tasks++;
    return shared.manager;
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

  private void release(String federation) {
    List<EnsembleCacheManager> ended = new ArrayList<>();
    synchronized (this) {
      Shared released = managers.get(federation);
      if (released != null) {
        released.tasks--;
      }
      long idle = managers.values().stream().filter(shared -> shared.tasks == 0).count();
      var all = managers.values().iterator();
      while (idle > MOST_IDLE && all.hasNext()) {
        Shared oldest = all.next();
        if (oldest.tasks == 0) {
          all.remove();
          ended.add(oldest.manager);
          idle--;
        }
      }
    }
    ended.forEach(EnsembleCacheManager::stop);
  }

  /** How many managers are open. */
  synchronized int size() {
    return managers.size();
  }

  /** Closes all managers; for tests. */
  void closeAll() {
    List<EnsembleCacheManager> all = new ArrayList<>();
    synchronized (this) {
      managers.values().forEach(shared -> all.add(shared.manager));
      managers.clear();
    }
    all.forEach(EnsembleCacheManager::stop);
  }
}
