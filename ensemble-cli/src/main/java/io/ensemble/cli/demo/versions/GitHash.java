package io.ensemble.cli.demo.versions;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The hash by which git identifies the content of a file. */
final class GitHash {

  private static final int SHA1_DIGITS = 40;

  private GitHash() {}

  /** Whether {@code name} is the hash of {@code content}. */
  static boolean matches(String name, byte[] content) {
    try {
      MessageDigest digest =
          MessageDigest.getInstance(name.length() == SHA1_DIGITS ? "SHA-1" : "SHA-256");
      digest.update(("blob " + content.length + "\0").getBytes(US_ASCII));
      return HexFormat.of().formatHex(digest.digest(content)).equals(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1 and SHA-256", e);
    }
  }
}
