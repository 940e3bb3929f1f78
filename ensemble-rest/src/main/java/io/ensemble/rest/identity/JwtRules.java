package io.ensemble.rest.identity;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules for accepted tokens.
 *
 * @param issuer the required value of {@code iss}
 * @param audiences {@code aud} must contain one of these
 * @param algorithms the accepted signature algorithms; all of them are asymmetric, so that no token
 *     can be signed with public information
 * @param skew the maximum difference of clocks
 * @param nameClaim the claim with the caller's name
 * @param attributeClaims claims with attributes that a policy may name
 */
public record JwtRules(
    String issuer,
    Set<String> audiences,
    Set<String> algorithms,
    Duration skew,
    String nameClaim,
    List<String> attributeClaims) {

  /** All algorithms that the list may contain. */
  public static final Set<String> POSSIBLE =
      Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  /** The longest skew. */
  public static final Duration LONGEST_SKEW = Duration.ofMinutes(5);

  public JwtRules {
    audiences = Set.copyOf(audiences);
    algorithms = Set.copyOf(algorithms);
    attributeClaims = List.copyOf(attributeClaims);
    if (issuer.isBlank() || audiences.isEmpty() || algorithms.isEmpty()) {
      throw new IllegalArgumentException("issuer, audiences and algorithms of tokens are required");
    }
    if (!POSSIBLE.containsAll(algorithms)) {
      throw new IllegalArgumentException(
          "expected algorithms of %s; got %s"
              .formatted(new TreeSet<>(POSSIBLE), new TreeSet<>(algorithms)));
    }
    if (skew.isNegative() || skew.compareTo(LONGEST_SKEW) > 0) {
      throw new IllegalArgumentException(
          "clock skew must be at most %s; got %s".formatted(LONGEST_SKEW, skew));
    }
  }
}
