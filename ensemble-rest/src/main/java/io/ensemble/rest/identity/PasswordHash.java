package io.ensemble.rest.identity;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * A password in a form that cannot be read back: PBKDF2 with HMAC-SHA-512, an individual salt, and
 * the given number of rounds. The text form is {@code pbkdf2-sha512:ROUNDS:SALT:HASH}, with salt
 * and hash in Base64.
 */
public final class PasswordHash {

  /** Derives the bytes of a hash. */
  @FunctionalInterface
  interface Derivation {
    byte[] derive(char[] password, int rounds, byte[] salt);
  }

  /** The number of rounds of a new hash. */
  public static final int ROUNDS = 210_000;

  private static final int FEWEST_ROUNDS = ROUNDS;
  private static final int MOST_ROUNDS = 10_000_000;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 64;
  private static final Pattern TEXT =
      Pattern.compile("pbkdf2-sha512:([0-9]{1,8}):([A-Za-z0-9+/=]{22,88}):([A-Za-z0-9+/=]{86,88})");

  private final int rounds;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int rounds, byte[] salt, byte[] hash) {
    this.rounds = rounds;
    this.salt = salt;
    this.hash = hash;
  }

  /** The hash of a new password. The computation takes a noticeable part of a second. */
  public static PasswordHash of(char[] password, SecureRandom random) {
    return of(password, ROUNDS, random);
  }

  static PasswordHash of(char[] password, int rounds, SecureRandom random) {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return new PasswordHash(rounds, salt, deriveHash(password, rounds, salt));
  }

  /**
   * @throws IllegalArgumentException if the text is not a hash; the message does not contain the
   *     text
   */
  static PasswordHash parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      int rounds = Integer.parseInt(matcher.group(1));
      byte[] salt = Base64.getDecoder().decode(matcher.group(2));
      byte[] hash = Base64.getDecoder().decode(matcher.group(3));
      if (rounds >= FEWEST_ROUNDS
          && rounds <= MOST_ROUNDS
          && salt.length >= SALT_BYTES
          && hash.length == HASH_BYTES) {
        return new PasswordHash(rounds, salt, hash);
      }
    }
    throw new IllegalArgumentException(
        ("expected pbkdf2-sha512:ROUNDS:SALT:HASH with %d to %d rounds, at least %d bytes of salt "
                    + "and %d")
                .formatted(FEWEST_ROUNDS, MOST_ROUNDS, SALT_BYTES, HASH_BYTES)
            + " bytes of hash; got another format");
  }

  /** Whether the hash is of this password. The time does not depend on the result. */
  boolean isHashOf(char[] password) {
    return isHashOf(password, PasswordHash::deriveHash);
  }

  boolean isHashOf(char[] password, Derivation derivation) {
    return MessageDigest.isEqual(hash, derivation.derive(password, rounds, salt));
  }

  /** Spends the time of a check with so many rounds. */
  static void simulateCheck(char[] password, int rounds, Derivation derivation) {
    if (rounds > 0) {
      byte[] unused = derivation.derive(password, rounds, new byte[SALT_BYTES]);
    }
  }

  /** The number of rounds, which determines the time of a check. */
  int rounds() {
    return rounds;
  }

  static byte[] deriveHash(char[] password, int rounds, byte[] salt) {
    PBEKeySpec spec = new PBEKeySpec(password, salt, rounds, HASH_BYTES * Byte.SIZE);
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has PBKDF2 with HMAC-SHA-512", e);
    } finally {
      spec.clearPassword();
    }
  }

  /** The form in a file of users. */
  public String text() {
    Base64.Encoder base64 = Base64.getEncoder();
    return "pbkdf2-sha512:%d:%s:%s"
        .formatted(rounds, base64.encodeToString(salt), base64.encodeToString(hash));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PasswordHash that
        && rounds == that.rounds
        && Arrays.equals(salt, that.salt)
        && MessageDigest.isEqual(hash, that.hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(salt);
  }

  @Override
  public String toString() {
    return "PasswordHash";
  }
}
