package io.ensemble.rest.resource.context;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.UUID;

/**
 * The Idempotency-Key of a request. A client may send a request with a key again, and it is applied
 * once.
 */
public final class IdempotencyKey {

  public static final String HEADER = "Idempotency-Key";
  private static final int LONGEST = 255;

  private IdempotencyKey() {}

  /**
   * A name for the request's key that differs from caller to caller; empty if the request has no
   * key.
   */
  public static Optional<UUID> of(AuthorizedRequest authorizedRequest) {
    return authorizedRequest
        .head()
        .header(HEADER)
        .map(
            key -> {
              if (key.isBlank() || key.length() > LONGEST) {
                throw Problem.invalid(HEADER, "1 to %d characters".formatted(LONGEST), key);
              }
              return name(authorizedRequest.caller().name(), key);
            });
  }

  /** A name of 128 bits, derived from two texts. */
  public static UUID name(String scope, String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] scopeBytes = scope.getBytes(StandardCharsets.UTF_8);
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(scopeBytes.length).array());
      digest.update(scopeBytes);
      ByteBuffer hash = ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
      return new UUID(hash.getLong(), hash.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /**
   * Rejects an Idempotency-Key where it cannot be supported.
   *
   * @throws io.ensemble.rest.http.ProblemException if the request has a key
   */
  public static void refuse(AuthorizedRequest authorizedRequest, String advice) {
    if (authorizedRequest.head().header(HEADER).isPresent()) {
      throw Problem.of(ProblemType.IDEMPOTENCY_UNSUPPORTED, "nothing was done; " + advice);
    }
  }
}
