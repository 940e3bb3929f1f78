package io.ensemble.listen;

import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeStamp;

/**
 * An output of a {@link ChangeMerger}, for the reader of the stream. The order matters: a position
 * is computed from the outputs that the reader has received.
 */
public sealed interface ListenOutput<K, V> {

  /**
   * A change to show.
   *
   * @param withdrawal makes the merger forget the change, see {@link ChangeMerger#withdraw}
   */
  record Shown<K, V>(Change<K, V> change, long keyHash, Runnable withdrawal)
      implements ListenOutput<K, V> {}

  /** A gap to show. */
  record Missing<K, V>(Gap<K, V> gap) implements ListenOutput<K, V> {}

  /** A write that existed before the stream began: a later stream need not show it. */
  record Recorded<K, V>(long keyHash, ChangeStamp stamp) implements ListenOutput<K, V> {}

  /** No acknowledged write up to {@code watermark}, in microseconds, is outstanding. */
  record Covered<K, V>(long configuration, long watermark) implements ListenOutput<K, V> {}
}
