package io.ensemble.cache;

import io.ensemble.site.Bytes;

/**
 * A live value as an engine holds it.
 *
 * @param value the encoded value
 * @param endMicros when it expires, in microseconds since 1970; 0 for never
 */
public record Payload(Bytes value, long endMicros) {

  /** Whether it has expired at {@code nowMicros}. */
  public boolean isOver(long nowMicros) {
    return endMicros != 0 && endMicros <= nowMicros;
  }
}
