package io.ensemble.rest.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.policy.CallerIdentity;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Verifies tokens signed by an external issuer. The token's own statements about its key ({@code
 * jwk}, {@code jku}, {@code x5c}) are ignored. A key verifies only the algorithms of its own kind.
 * Thread-safe.
 */
public final class JwtVerifier {

  private static final int LONGEST = 8 << 10;
  private static final int MOST_MARKS = 256;

  /** RFC 7518 requires this length for RSA; the library's verifier does not check it. */
  private static final int SHORTEST_RSA_BITS = 2048;

  private static final String NOT_ACCEPTED = "the token is not accepted";

  /** The maximum number of tokens of one address that wait for keys. */
  private static final int MAX_WAITING_PER_ADDRESS = 32;

  /** The same for all addresses together. */
  private static final int MAX_WAITING = 128;

  private final ConcurrencyLimit waitingLimit =
      new ConcurrencyLimit(
          "tokens that wait for signing keys", MAX_WAITING_PER_ADDRESS, MAX_WAITING);

  private final JwtRules rules;
  private final SigningKeys keys;
  private final KeySelector selector;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  /**
   * @param clock the clock by which tokens expire
   */
  public JwtVerifier(JwtRules rules, SigningKeys keys, InstantSource clock) {
    this.rules = rules;
    this.keys = keys;
    this.selector =
        new KeySelector(
            rules.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet()), keys);
    processor.setJWSKeySelector(selector);
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWTClaimsSetVerifier(createClaimsVerifier(rules, clock));
  }

  /**
   * Selects the keys of the right kind, curve, length and purpose. All keys are tried for a token
   * that names no key; a key of another curve would end the attempts with an exception.
   */
  private static final class KeySelector extends JWSVerificationKeySelector<SecurityContext> {

    KeySelector(Set<JWSAlgorithm> algorithms, SigningKeys keys) {
      super(
          algorithms,
          (selector, context) ->
              selector.select(keys.currentKeys()).stream().filter(KeySelector::mayVerify).toList());
    }

    private static boolean mayVerify(JWK key) {
      return key.getKeyOperations() == null || key.getKeyOperations().contains(KeyOperation.VERIFY);
    }

    @Override
    protected @Nullable JWKMatcher createJWKMatcher(JWSHeader header) {
      JWKMatcher defaultMatcher = super.createJWKMatcher(header);
      if (defaultMatcher == null) {
        return null;
      }
      JWKMatcher.Builder matcher = new JWKMatcher.Builder(defaultMatcher);
      return JWSAlgorithm.Family.EC.contains(header.getAlgorithm())
          ? matcher.curves(Curve.forJWSAlgorithm(header.getAlgorithm())).build()
          : matcher.minKeySize(SHORTEST_RSA_BITS).build();
    }
  }

  private static DefaultJWTClaimsVerifier<SecurityContext> createClaimsVerifier(
      JwtRules rules, InstantSource clock) {
    DefaultJWTClaimsVerifier<SecurityContext> verifier =
        new DefaultJWTClaimsVerifier<>(
            new HashSet<>(rules.audiences()), // The library may look up null, as for "aud": [null].
            new JWTClaimsSet.Builder().issuer(rules.issuer()).build(),
            Set.of("exp", rules.nameClaim()),
            null) {
          @Override
          protected Date currentTime() {
            return Date.from(clock.instant());
          }
        };
    verifier.setMaxClockSkew((int) rules.skew().toSeconds());
    return verifier;
  }

  /**
   * The identity of a token. Fails with {@link AuthenticationFailedException}; with a problem if no
   * keys are available. A token with a known key never waits. A token with an unknown key waits
   * until the keys have been fetched again, which {@link SigningKeys} limits. So many wait that a
   * slow provider, or tokens with invented keys, occupy a bounded number of requests.
   *
   * @param address the address of the client
   */
  CompletionStage<CallerIdentity> identify(String token, String address) {
    SignedJWT jwt = parse(token);
    if (!selector.isAllowed(jwt.getHeader().getAlgorithm())) {
      throw new AuthenticationFailedException(
          NOT_ACCEPTED); // No key can make this token valid: none is fetched.
    }
    if (keys.hasKey(jwt.getHeader().getKeyID())) {
      return CompletableFuture.completedFuture(verify(jwt));
    }
    waitingLimit.begin(address);
    return keys.refresh()
        .whenComplete((fetched, failure) -> waitingLimit.end(address))
        .thenApply(fetched -> verify(jwt));
  }

  private static SignedJWT parse(String token) {
    if (token.length() > LONGEST) {
      throw new AuthenticationFailedException("the token is too long");
    }
    try {
      return SignedJWT.parse(token);
    } catch (ParseException e) {
      throw new AuthenticationFailedException(NOT_ACCEPTED); // Unsigned and encrypted ones, too.
    }
  }

  private CallerIdentity verify(SignedJWT jwt) {
    keys.requireKeys();
    try {
      JWTClaimsSet claims = processor.process(jwt, null);
      String name = claims.getStringClaim(rules.nameClaim());
      if (name == null || name.isBlank() || claims.getExpirationTime() == null) {
        throw new AuthenticationFailedException(
            NOT_ACCEPTED); // The library treats a claim with the value null as present.
      }
      return new CallerIdentity("jwt:" + name, readAttributes(claims));
    } catch (ExpiredJWTException e) {
      throw new AuthenticationFailedException("the token has expired");
    } catch (BadJOSEException | JOSEException | ParseException | IllegalArgumentException e) {
      throw new AuthenticationFailedException(NOT_ACCEPTED);
    }
  }

  private Set<String> readAttributes(JWTClaimsSet claims) {
    Set<String> attributes = new TreeSet<>();
    for (String claim : rules.attributeClaims()) {
      Object value = claims.getClaim(claim);
      Collection<?> values =
          value instanceof Collection<?> several
              ? several
              : value instanceof String text && claim.equals("scope")
                  ? List.of(text.split(" ", -1))
                  : value == null ? List.of() : List.of(value);
      for (Object element : values) {
        if (element instanceof String text && attributes.size() < MOST_MARKS) {
          attributes.add("claim:%s=%s".formatted(claim, text));
        }
      }
    }
    return attributes;
  }
}
