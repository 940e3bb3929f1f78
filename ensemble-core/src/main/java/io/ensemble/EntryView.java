package io.ensemble;

import io.ensemble.envelope.Envelope;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Optional;

/**
 * An entry as a site holds it, for diagnosis. The content may change between releases.
 *
 * @param stamp of the entry's write: equal stamps at two sites mean the same write. In MWMR it is
 *     the ballot that the site accepted. An operation that completes a write proposes it again in a
 *     later ballot, so sites may show different stamps of one write, and later ones than {@link
 *     WriteOutcome.Applied#stamp}
 * @param removed whether it is a tombstone
 * @param end when the value expires or expired; empty for never
 * @param bytes the length of the encoded value; 0 if removed
 * @param digest the first 16 hexadecimal digits of the encoded value's SHA-256; empty if removed
 * @param state further state of the protocol, as text. In WEAK the number of siblings, which {@code
 *     bytes} and {@code digest} cover together; empty for one
 */
public record EntryView(
    Stamp stamp, boolean removed, Optional<Instant> end, int bytes, String digest, String state) {

  private static final int DIGEST_LENGTH = 16;

  /** The view of {@code envelope}. */
  public static EntryView of(Envelope envelope, String state) {
    Bytes value = envelope.payload();
    return new EntryView(
        envelope.stamp(),
        value == null,
        envelope.endMicros() == 0
            ? Optional.empty()
            : Optional.of(Instant.EPOCH.plus(envelope.endMicros(), ChronoUnit.MICROS)),
        value == null ? 0 : value.size(),
        value == null ? "" : digest(value),
        state);
  }

  private static String digest(Bytes value) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(value.array());
      return HexFormat.of().formatHex(hash).substring(0, DIGEST_LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
