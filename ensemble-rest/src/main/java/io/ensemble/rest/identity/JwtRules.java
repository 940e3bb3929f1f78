package io.ensemble.rest.identity;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which tokens are accepted.
 *
 * @param issuer what {@code iss} must be
 * @param audiences of which {@code aud} must name one
 * @param algorithms that signatures may be of; all of them have a public and a private key, so that
 *     nobody can sign with what anybody may know
 * @param skew by how much clocks may differ
 * @param nameClaim the claim whose text is the caller's name
 * @param markClaims claims whose texts a policy may name
 */
public record JwtRules(
    String issuer,
    Set<String> audiences,
    Set<String> algorithms,
    Duration skew,
    String nameClaim,
    List<String> markClaims) {

  /** All that may be in the list. */
  public static final Set<String> POSSIBLE =
      Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  /** The longest skew. */
  public static final Duration LONGEST_SKEW = Duration.ofMinutes(5);

  public JwtRules {
    audiences = Set.copyOf(audiences);
    algorithms = Set.copyOf(algorithms);
    markClaims = List.copyOf(markClaims);
    if (issuer.isBlank() || audiences.isEmpty() || algorithms.isEmpty()) {
      throw new IllegalArgumentException("tokens have an issuer, audiences and algorithms");
    }
    if (!POSSIBLE.containsAll(algorithms)) {
      throw new IllegalArgumentException(
          "wanted algorithms of %s; came %s"
              .formatted(new TreeSet<>(POSSIBLE), new TreeSet<>(algorithms)));
    }
    if (skew.isNegative() || skew.compareTo(LONGEST_SKEW) > 0) {
      throw new IllegalArgumentException(
          "wanted a skew of at most %s; came %s".formatted(LONGEST_SKEW, skew));
    }
  }
}
