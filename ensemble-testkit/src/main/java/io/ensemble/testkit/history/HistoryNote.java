package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.Mode;
import io.ensemble.stamp.Stamp;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A line of a history that is no operation: what a listener received, or the stamp of a write.
 * Immutable. All times are on the clock of the history, in nanoseconds.
 */
public sealed interface HistoryNote {

  /** The time of the note; that of the write for a stamp. */
  long atNanos();

  /**
   * A stream of changes was opened.
   *
   * @param listener the listener, which may be restarted: each restart opens another stream
   * @param stream the number of the stream, different for each stream of the history
   * @param mode the mode of the cache
   * @param fromStream the stream of the position from which this one resumes; null if it began with
   *     the writes that followed
   * @param fromNumber the number of the last event of that stream that the position includes; 0 for
   *     none
   * @param callNanos when the opening began
   * @param readyNanos when it was complete: later writes are shown or covered
   */
  record StreamOpened(
      long listener,
      long stream,
      Mode mode,
      @Nullable Long fromStream,
      long fromNumber,
      long callNanos,
      long readyNanos)
      implements HistoryNote {
    @Override
    public long atNanos() {
      return readyNanos;
    }
  }

  /**
   * A change was received.
   *
   * @param number the number of the event in its stream, from 1; gaps are counted, too
   * @param value the new value; a JSON null for a removal
   * @param receivedNanos when the reader had received it
   */
  record ChangeReceived(
      long stream,
      long number,
      String key,
      Kind change,
      JsonNode value,
      ChangeStamp stamp,
      long receivedNanos)
      implements HistoryNote {
    public ChangeReceived {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(stamp, "stamp");
      value = JsonValues.canonical(value);
    }

    @Override
    public long atNanos() {
      return receivedNanos;
    }
  }

  /**
   * A gap was received, see {@link io.ensemble.ChangeEvent.Gap}.
   *
   * @param key the only key concerned; null for all keys
   * @param missed how many changes are missing; null if that is not known
   */
  record GapReceived(
      long stream,
      long number,
      GapReason reason,
      @Nullable String key,
      ChangeStamp after,
      ChangeStamp before,
      @Nullable Long missed,
      long receivedNanos)
      implements HistoryNote {
    @Override
    public long atNanos() {
      return receivedNanos;
    }
  }

  /**
   * The reader closed the stream. A stream whose process was killed has no such note.
   *
   * @param coversNanos each write that was acknowledged by this time had long enough to be shown;
   *     null if nothing is claimed
   * @param endNanos when the stream was closed
   */
  record StreamEnded(long stream, @Nullable Long coversNanos, long endNanos)
      implements HistoryNote {
    @Override
    public long atNanos() {
      return endNanos;
    }
  }

  /**
   * A write was acknowledged with this stamp.
   *
   * @param client the client, which identifies the operation together with {@code callNanos}
   */
  record StampReturned(long client, long callNanos, Stamp stamp) implements HistoryNote {
    @Override
    public long atNanos() {
      return callNanos;
    }
  }
}
