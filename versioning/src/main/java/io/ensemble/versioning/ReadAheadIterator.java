package io.ensemble.versioning;

import io.ensemble.objects.runtime.BlockingWait;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * Reads an item for each key during an iteration, some keys ahead. A failed read is thrown once,
 * and the iteration continues with the next key. For one thread at a time.
 */
final class ReadAheadIterator<K, R> implements CloseableIterator<R> {

  /** The number of keys that are read in parallel. */
  static final int AHEAD = 64;

  private final CloseableIterator<K> keys;
  private final Function<K, CompletionStage<Optional<R>>> reading;
  private final Deque<CompletionStage<Optional<R>>> ahead = new ArrayDeque<>();
  private @Nullable R next;
  private boolean closed;

  ReadAheadIterator(CloseableIterator<K> keys, Function<K, CompletionStage<Optional<R>>> reading) {
    this.keys = keys;
    this.reading = reading;
  }

  @Override
  public boolean hasNext() {
    while (next == null && !closed) {
      while (ahead.size() < AHEAD && keys.hasNext()) {
        ahead.add(reading.apply(keys.next()));
      }
      if (ahead.isEmpty()) {
        return false;
      }
      next = BlockingWait.toItsEnd(ahead.remove()).orElse(null);
    }
    return next != null;
  }

  @Override
  public R next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException("no more entries");
    }
    R found = next;
    next = null;
    return found;
  }

  @Override
  public void close() {
    closed = true;
    next = null;
    ahead.clear();
    keys.close();
  }
}
