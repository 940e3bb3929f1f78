package io.ensemble.spring;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys for which this process is loading a value, so that one load runs for each. Loads beyond
 * {@link #MOST} are not recorded, and run beside each other. Thread-safe.
 */
final class LoadsInProgress {

  /** The most recorded loads. */
  static final int MOST = 10_000;

  /** The load of one key. */
  static final class Load {

    private final Object key;
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private Load(Object key) {
      this.key = key;
    }

    /** A future that is done when the load has ended; the caller may complete it. */
    CompletableFuture<Void> end() {
      return end.copy();
    }
  }

  private final Map<Object, Load> loads = new ConcurrentHashMap<>();

  /** Makes a load, which is not recorded yet. */
  Load of(Object key) {
    return new Load(key);
  }

  /** Records {@code mine}, and returns it; if its key has another load, returns that one. */
  Load begin(Load mine) {
    // Threads that pass this check together exceed the bound by their number at most.
    if (loads.size() >= MOST) {
      return loads.getOrDefault(mine.key, mine);
    }
    Load other = loads.putIfAbsent(mine.key, mine);
    return other == null ? mine : other;
  }

  /** Ends {@code mine}. */
  void end(Load mine) {
    loads.remove(mine.key, mine);
    mine.end.complete(null);
  }

  int size() {
    return loads.size();
  }
}
