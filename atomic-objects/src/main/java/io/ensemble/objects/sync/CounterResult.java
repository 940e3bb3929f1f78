package io.ensemble.objects.sync;

/**
 * What became of a call with a name of its own; the same for each time that it is made.
 *
 * @param value what was there after it
 */
public record CounterResult(End end, long value) {

  /** How it ended. */
  public enum End {
    /** It was done. */
    DONE,
    /** Something else was there than was expected. */
    NOT_MET,
    /** Another call has had that name. Nothing was done. */
    OTHER_CALL,
    /** Too many calls with names were made of late. Nothing was done. */
    TOO_MANY
  }
}
