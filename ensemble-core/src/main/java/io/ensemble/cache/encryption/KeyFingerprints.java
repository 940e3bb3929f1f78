package io.ensemble.cache.encryption;

import io.ensemble.site.Bytes;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMACs (HMAC-SHA-256, cut to 16 bytes) of the keys of one private cache. Thread-safe. */
final class KeyFingerprints {

  private static final String ALGORITHM = "HmacSHA256";
  private static final int BYTES = 16;

  private final Mac keyed;

  KeyFingerprints(byte[] secret) {
    try {
      keyed = Mac.getInstance(ALGORITHM);
      keyed.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("every JDK has HMAC-SHA-256", impossible);
    }
  }

  Bytes of(Bytes key) {
    try {
      Mac own = (Mac) keyed.clone(); // A Mac serves one thread at a time.
      return Bytes.of(Arrays.copyOf(own.doFinal(key.array()), BYTES));
    } catch (CloneNotSupportedException impossible) {
      throw new AssertionError("the HMAC of the JDK can be cloned", impossible);
    }
  }
}
