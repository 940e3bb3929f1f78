package io.ensemble.testkit.listen;

import io.ensemble.testkit.history.HistoryOperation;
import org.jspecify.annotations.Nullable;

/**
 * A contradiction between a stream of changes and its guarantee.
 *
 * @param rule the part of the guarantee
 * @param stream the number of the stream
 * @param key the key
 * @param operation the write concerned; null if it is not known
 * @param message what happened, with the values
 */
public record StreamViolation(
    Rule rule, long stream, String key, @Nullable HistoryOperation operation, String message) {

  /** The parts of the guarantee. */
  public enum Rule {
    /** A change is shown at most once, also after a restart from a position. */
    ONCE,
    /** Changes of a key come in the order of their stamps, and of their writes. */
    ORDER,
    /** A change has the value of a write that was called before, and was not refused. */
    WRITTEN,
    /** A change has the stamp that its writer received. */
    STAMP,
    /** An acknowledged write is shown, was overwritten before, or is covered by a gap. */
    COMPLETE,
    /** The same for a write that was acknowledged while the listener was being restarted. */
    POSITION
  }
}
