package io.ensemble.cache.swmr;

import io.ensemble.primary.Term;
import io.ensemble.site.Bytes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys with a write of unknown outcome in an epoch; the next epoch fences them. Thread-safe.
 */
final class KeysToFence {

  /** The largest number of such keys before writes of further keys are refused. */
  static final int MOST = 10_000;

  private final Map<Bytes, Long> epochs = new ConcurrentHashMap<>();

  /** Whether a write of {@code key} may begin: its outcome might become unknown. */
  boolean admits(Bytes key, Term term) {
    if (epochs.size() > MOST && !epochs.containsKey(key)) {
      epochs.values().removeIf(epoch -> epoch < term.epoch());
      return epochs.size() <= MOST;
    }
    return true;
  }

  boolean contains(Bytes key, Term term) {
    return Objects.equals(epochs.get(key), term.epoch());
  }

  void add(Bytes key, Term term) {
    epochs.put(key, term.epoch());
  }

  void remove(Bytes key) {
    epochs.remove(key);
  }

  int size() {
    return epochs.size();
  }
}
