package io.ensemble.cache.swmr;

import io.ensemble.primary.Term;
import io.ensemble.site.Bytes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The keys with a write of unknown outcome in an epoch: the next one fences them. Thread-safe. */
final class KeysToFence {

  /** How many keys may be so before a write of another finds no room. */
  static final int MOST = 10_000;

  private final Map<Bytes, Long> epochs = new ConcurrentHashMap<>();

  /** Whether a write of {@code key} may begin: it might be one more. */
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
