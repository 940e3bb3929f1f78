package io.ensemble.collection;

import java.util.Optional;

/**
 * An open iteration over a collection. For one thread at a time, and not for a thread of Ensemble's
 * scheduler.
 *
 * @param <R> the items
 */
public interface CollectionCursor<R> extends AutoCloseable {

  /**
   * The next item; empty at the end.
   *
   * <p>If the call fails, the cursor stays before the entry, and the call may be repeated. A
   * failure of the cache was tried again before ({@link EntryCollection#withAttempts}). An
   * exception of a filter or of the projection, and a key or value that cannot be decoded, will
   * probably be thrown again: {@link #skip} goes past it.
   *
   * @throws io.ensemble.QuorumUnavailableException if too few sites answered
   * @throws SlicesOutdatedException if the parts of a distributed cache have changed, and the
   *     collection is a slice of one part; the cursor cannot continue
   * @throws IllegalStateException if the cursor or the cache is closed
   */
  Optional<R> next();

  /**
   * Goes past the entry at which {@link #next} failed.
   *
   * @throws IllegalStateException if the last call of {@link #next} did not fail at an entry
   */
  void skip();

  /**
   * The present position: an ASCII text of 62 characters. A cursor that begins there, in any
   * process, returns the entries after the last item of {@link #next}. The text contains a hash of
   * a key.
   */
  String position();

  /** How far this cursor is. */
  CollectionProgress progress();

  /** Ends the iteration. Reads that are under way end by their deadlines. */
  @Override
  void close();
}
