package io.ensemble;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The changes of a cache, in the order of each key: see {@link EnsembleCache#listen}. Changes of
 * different keys come in any order.
 *
 * <p>Each change is at most one event, although every replica reports it, and although the reader
 * may have been restarted. A change that is not shown was overwritten before the stream saw it, or
 * was dropped because the reader was slow; a {@link ChangeEvent.Gap} then covers it. In WEAK and
 * SWMR caches a gap may be missing for a change that was overwritten unseen.
 *
 * <p>One reader at a time; otherwise thread-safe. Close a stream that is no longer read: each
 * replica keeps a listener for it.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public interface ChangeStream<K, V> extends AutoCloseable {

  /**
   * Waits for the next event, at most for {@code timeout}.
   *
   * @return the event; empty if there was none in time
   * @throws ListenLimitException if the cache has more keys than the stream may follow
   * @throws CacheDeletedException if the cache was deleted
   * @throws PartsChangedException if the keys of the cache were assigned to its parts anew
   * @throws IllegalStateException if the stream or the cache is closed, if another call is under
   *     way, or on a thread of Ensemble's scheduler
   */
  Optional<ChangeEvent<K, V>> next(Duration timeout);

  /**
   * As {@link #next}, without blocking. The stage completes on Ensemble's scheduler, or before this
   * method returns.
   */
  CompletionStage<Optional<ChangeEvent<K, V>>> nextAsync(Duration timeout);

  /**
   * The position after the last event that the reader has received, as text that is safe in URLs:
   * for {@link ListenOptions#from}, in this process or another one, after any time. A position
   * holds 16 bytes for each key that changed in the last three minutes, at most for 65,536; before
   * Base64. Of more keys, those with the lowest stamps are left out, and a stream that resumes
   * there reports a gap of reason {@link ChangeEvent.GapReason#RETENTION}.
   */
  String position();

  /** Ends the stream; removes its listeners from all replicas. */
  @Override
  void close();
}
