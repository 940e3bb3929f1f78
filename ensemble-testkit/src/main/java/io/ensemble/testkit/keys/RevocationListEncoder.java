package io.ensemble.testkit.keys;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/** Encodes certificate revocation lists of version 2 in DER (RFC 5280, section 5.1). */
final class RevocationListEncoder {

  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int UTC_TIME = 0x17;
  private static final int SEQUENCE = 0x30;
  private static final int EXTENSIONS = 0xa0;
  private static final int LONG_LENGTH = 0x80;

  /** The identifier of ECDSA with SHA-256, 1.2.840.10045.4.3.2. */
  private static final byte[] ECDSA_SHA256 = {
    0x30, 0x0a, 0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
  };

  /** The critical extension of a list of changes since list 1; its identifier is 2.5.29.27. */
  private static final byte[] DELTA_INDICATOR = {
    0x30, 0x0d, 0x06, 0x03, 0x55, 0x1d, 0x1b, 0x01, 0x01, (byte) 0xff, 0x04, 0x03, 0x02, 0x01, 0x01
  };

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private RevocationListEncoder() {}

  static byte[] encode(
      X500Principal issuer,
      PrivateKey key,
      List<BigInteger> revoked,
      Instant thisUpdate,
      Instant nextUpdate,
      boolean isDelta) {
    byte[][] entries =
        revoked.stream()
            .map(
                serial ->
                    element(SEQUENCE, element(INTEGER, serial.toByteArray()), time(thisUpdate)))
            .toArray(byte[][]::new);
    byte[] unsigned =
        element(
            SEQUENCE,
            element(INTEGER, new byte[] {1}),
            ECDSA_SHA256,
            issuer.getEncoded(),
            time(thisUpdate),
            time(nextUpdate),
            entries.length == 0 ? new byte[0] : element(SEQUENCE, entries),
            isDelta ? element(EXTENSIONS, element(SEQUENCE, DELTA_INDICATOR)) : new byte[0]);
    return element(
        SEQUENCE, unsigned, ECDSA_SHA256, element(BIT_STRING, new byte[1], sign(unsigned, key)));
  }

  private static byte[] sign(byte[] content, PrivateKey key) {
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(key);
      signature.update(content);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a list cannot be signed: " + e.getMessage(), e);
    }
  }

  private static byte[] time(Instant time) {
    return element(UTC_TIME, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] element(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    if (content.size() < LONG_LENGTH) {
      element.write(content.size());
    } else {
      byte[] length = BigInteger.valueOf(content.size()).toByteArray();
      int skip = length[0] == 0 ? 1 : 0;
      element.write(LONG_LENGTH + length.length - skip);
      element.write(length, skip, length.length - skip);
    }
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }
}
