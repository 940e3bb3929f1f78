package io.ensemble.objects.record;

import java.nio.charset.StandardCharsets;

/**
 * The outcome of one call.
 *
 * @param applied whether the call took effect; if not, no part of it did, nor will
 * @param bytes the response of the state machine; for a call that was not applied the reason, in
 *     UTF-8
 */
public record CallOutcome(boolean applied, ByteString bytes) {

  /** The outcome of a call that took effect. */
  public static CallOutcome of(byte[] answer) {
    return new CallOutcome(true, ByteString.of(answer));
  }

  /** The outcome of a call that did not take effect. */
  public static CallOutcome declined(String reason) {
    return new CallOutcome(false, ByteString.of(reason.getBytes(StandardCharsets.UTF_8)));
  }

  /** The reason why the call was not applied. */
  public String reason() {
    return new String(bytes.array(), StandardCharsets.UTF_8);
  }
}
