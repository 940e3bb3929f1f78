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

/** A random password: 192 bits in URL-safe Base64. {@code toString} never shows it. */
public final class RandomPassword {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 24;
  private static final int SALT_BYTES = 24;

  /**
   * The password is random, so iterations do not make guesses harder; but servers require a
   * minimum.
   */
  private static final int ITERATIONS = 4096;

  private final String text;

  private RandomPassword(String text) {
    this.text = text;
  }

  /** Creates a password. */
  public static RandomPassword create() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return new RandomPassword(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  /** The characters, in a new array. */
  public char[] characters() {
    return text.toCharArray();
  }

  /** Writes the password to a file that only the present user can read. */
  public void write(Path file) throws IOException {
    OwnerOnlyFiles.write(file, text);
  }

  /**
   * The data with which a server checks the password, by SCRAM-SHA-512 or sent in clear: a line of
   * its users file, from which the password cannot be derived.
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
