package io.ensemble.rest.identity;

import io.ensemble.rest.policy.CallerIdentity;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tokens that each stand for a name, given by reference, and stored as digests only. The tokens are
 * read when the service starts. Immutable.
 */
public final class StaticTokens {

  /** The minimum number of characters of a token. */
  public static final int SHORTEST = 32;

  private final Map<String, byte[]> digests = new LinkedHashMap<>();

  /**
   * @param tokens by name
   * @throws IllegalArgumentException if a token is too short to be a secret
   */
  public StaticTokens(Map<String, ? extends Supplier<char[]>> tokens) {
    tokens.forEach(
        (name, token) -> {
          char[] secret = token.get();
          if (secret.length < SHORTEST) {
            throw new IllegalArgumentException(
                "a token must have at least %d characters; token=%s".formatted(SHORTEST, name));
          }
          digests.put(name, digest(secret));
          Arrays.fill(secret, '\0');
        });
  }

  /** The identity of a token. Compares the token with all known ones, in the same time. */
  Optional<CallerIdentity> identify(String token) {
    byte[] digest = digest(token.toCharArray());
    Optional<CallerIdentity> identity = Optional.empty();
    for (Map.Entry<String, byte[]> entry : digests.entrySet()) {
      if (MessageDigest.isEqual(entry.getValue(), digest)) {
        identity = Optional.of(CallerIdentity.of("token", entry.getKey()));
      }
    }
    return identity;
  }

  private static byte[] digest(char[] token) {
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(token));
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
