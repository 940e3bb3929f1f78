package io.ensemble.objects.root;

import java.nio.charset.StandardCharsets;

/**
 * What became of one call.
 *
 * @param applied whether it took effect; if not, nothing of it did, nor will
 * @param bytes what the machine answered; of a call that was not applied the reason, in UTF-8
 */
public record Outcome(boolean applied, Bytes bytes) {

  /** It took effect. */
  public static Outcome of(byte[] answer) {
    return new Outcome(true, Bytes.of(answer));
  }

  /** It did not. */
  public static Outcome declined(String reason) {
    return new Outcome(false, Bytes.of(reason.getBytes(StandardCharsets.UTF_8)));
  }

  /** Why it was not applied. */
  public String reason() {
    return new String(bytes.array(), StandardCharsets.UTF_8);
  }
}
