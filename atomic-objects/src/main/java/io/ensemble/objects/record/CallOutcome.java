package io.ensemble.objects.record;

import java.nio.charset.StandardCharsets;

/**
 * What became of one call.
 *
 * @param applied whether it took effect; if not, nothing of it did, nor will
 * @param bytes what the machine answered; of a call that was not applied the reason, in UTF-8
 */
public record CallOutcome(boolean applied, ByteString bytes) {

  /** It took effect. */
  public static CallOutcome of(byte[] answer) {
    return new CallOutcome(true, ByteString.of(answer));
  }

  /** It did not. */
  public static CallOutcome declined(String reason) {
    return new CallOutcome(false, ByteString.of(reason.getBytes(StandardCharsets.UTF_8)));
  }

  /** Why it was not applied. */
  public String reason() {
    return new String(bytes.array(), StandardCharsets.UTF_8);
  }
}
