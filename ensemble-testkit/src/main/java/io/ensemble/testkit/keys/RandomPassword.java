package io.ensemble.testkit.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import org.wildfly.security.password.PasswordFactory;
import org.wildfly.security.password.WildFlyElytronPasswordProvider;
import org.wildfly.security.password.interfaces.ScramDigestPassword;
import org.wildfly.security.password.spec.BasicPasswordSpecEncoding;
import org.wildfly.security.password.spec.EncryptablePasswordSpec;
import org.wildfly.security.password.spec.IteratedSaltedPasswordAlgorithmSpec;

/** A password that nobody has chosen: 192 random bits in URL-safe Base64. Never shows it. */
public final class RandomPassword {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 24;
  private static final int SALT_BYTES = 24;

  /** It is random: guesses are not made dear by iterations, but servers insist on some. */
  private static final int ITERATIONS = 4096;

  private final String text;

  private RandomPassword(String text) {
    this.text = text;
  }

  /** A new one. */
  public static RandomPassword create() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return new RandomPassword(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  /** In an array of its own. */
  public char[] characters() {
    return text.toCharArray();
  }

  /** Writes it where only this user reads it. */
  public void write(Path file) throws IOException {
    OwnerOnlyFiles.write(file, text);
  }

  /**
   * What a server keeps to check it, by SCRAM-SHA-512 or given in clear: a line of its file of
   * users, from which the password cannot be had.
   */
  public String userLine(String user) {
    try {
      byte[] salt = new byte[SALT_BYTES];
      RANDOM.nextBytes(salt);
      String algorithm = ScramDigestPassword.ALGORITHM_SCRAM_SHA_512;
      var provider = WildFlyElytronPasswordProvider.getInstance();
      var spec =
          new EncryptablePasswordSpec(
              characters(), new IteratedSaltedPasswordAlgorithmSpec(ITERATIONS, salt));
      var password = PasswordFactory.getInstance(algorithm, provider).generatePassword(spec);
      byte[] encoded =
          BasicPasswordSpecEncoding.encode(password, () -> new java.security.Provider[] {provider});
      return user + "=" + algorithm + ":" + Base64.getEncoder().encodeToString(encoded);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a password cannot be prepared: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return "RandomPassword";
  }
}
