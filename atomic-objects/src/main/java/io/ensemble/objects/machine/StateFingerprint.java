package io.ensemble.objects.machine;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first eight bytes of SHA-256. */
final class StateFingerprint {

  private StateFingerprint() {}

  static long of(byte[] bytes) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
