package io.ensemble.envelope;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;

/**
 * An encrypted payload, as far as a process without a key can read it: form (1 byte), the stamp of
 * the write that encrypted it (8 bytes of time, 16 of writer), and a Tink ciphertext, which begins
 * with its key's id. The stamp is authenticated with the ciphertext. A process without a key can at
 * least check that an entry claims no later position than its write has.
 *
 * @param stamp the stamp of the write
 * @param keyId the id of the encryption key
 * @param ciphertext the ciphertext as Tink returns it
 */
public record EncryptedPayload(Stamp stamp, int keyId, Bytes ciphertext) {

  /** No encoded value begins with this byte. */
  private static final int FORM = 5;

  private static final int TINK = 1;
  private static final int HEAD_BYTES = 1 + 8 + 16;

  /** The head, the key's id, and AES-GCM's nonce and tag. */
  static final int SHORTEST_BYTES = HEAD_BYTES + 5 + 12 + 16;

  /** By how many bytes an encrypted value is longer than the value itself. */
  public static final int ADDED_BYTES = SHORTEST_BYTES;

  /** The payload that holds {@code ciphertext} of a write with this stamp. */
  public static Bytes payload(Stamp stamp, byte[] ciphertext) {
    ByteWriter out = new ByteWriter(HEAD_BYTES + ciphertext.length);
    out.oneByte(FORM);
    out.eightBytes(stamp.micros());
    out.eightBytes(stamp.writer().high());
    out.eightBytes(stamp.writer().low());
    out.bytes(ciphertext);
    return out.toBytes();
  }

  /**
   * The parts of {@code payload}.
   *
   * @throws MalformedEnvelopeException if {@code payload} is not an encrypted payload
   */
  public static EncryptedPayload of(Bytes payload) {
    ByteReader in = new ByteReader(payload);
    int form = in.oneByte();
    if (form != FORM) {
      throw new MalformedEnvelopeException("an encrypted value of form " + FORM + "; got=" + form);
    }
    Stamp stamp = new Stamp(in.eightBytes(), new WriterId(in.eightBytes(), in.eightBytes()));
    Bytes ciphertext = in.rest();
    ByteReader head = new ByteReader(ciphertext);
    int prefix = head.oneByte();
    if (prefix != TINK) {
      throw new MalformedEnvelopeException(
          "a ciphertext that begins with the id of its key; got=" + prefix);
    }
    int keyId = 0;
    for (int i = 0; i < 4; i++) {
      keyId = keyId << 8 | head.oneByte();
    }
    return new EncryptedPayload(stamp, keyId, ciphertext);
  }

  /**
   * Rejects an encrypted payload if its entry claims a later stamp than its write has. Such an
   * entry may be an attempt to bring back an old value.
   *
   * @throws MalformedEnvelopeException if it claims a later stamp, or is not an encrypted payload
   */
  public static void check(Bytes payload, Stamp claimed) {
    Stamp own = of(payload).stamp();
    if (claimed.isAfter(own)) {
      throw new MalformedEnvelopeException(
          "an entry that is not older than its value; stamp=%s written=%s".formatted(claimed, own));
    }
  }
}
