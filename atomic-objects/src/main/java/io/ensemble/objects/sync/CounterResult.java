package io.ensemble.objects.sync;

/**
 * The outcome of a call with an id; the same for each repetition of the call.
 *
 * @param value the value after the call
 */
public record CounterResult(End end, long value) {

  /** How the call ended. */
  public enum End {
    /** The call was applied. */
    DONE,
    /** The counter did not have the expected value. */
    NOT_MET,
    /** Another call has used that id. Nothing was changed. */
    OTHER_CALL,
    /** Too many calls with ids were made recently. Nothing was changed. */
    TOO_MANY
  }
}
