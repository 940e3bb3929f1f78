package io.ensemble.rest.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.ensemble.rest.policy.Identity;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Tokens that somebody else has signed. What the token says of its own key ({@code jwk}, {@code
 * jku}, {@code x5c}) counts for nothing; a key is taken for the algorithm of its own kind only.
 * Thread-safe.
 */
public final class Jwts {

  private static final int LONGEST = 8 << 10;
  private static final int MOST_MARKS = 256;
  private static final String NOT_ACCEPTED = "the token is not accepted";

  private final JwtRules rules;
  private final SigningKeys keys;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  /**
   * @param clock by which tokens expire
   */
  public Jwts(JwtRules rules, SigningKeys keys, InstantSource clock) {
    this.rules = rules;
    this.keys = keys;
    Set<JWSAlgorithm> algorithms =
        rules.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet());
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(
            algorithms, (selector, context) -> selector.select(keys.present())));
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWTClaimsSetVerifier(claims(rules, clock));
  }

  private static DefaultJWTClaimsVerifier<SecurityContext> claims(
      JwtRules rules, InstantSource clock) {
    DefaultJWTClaimsVerifier<SecurityContext> verifier =
        new DefaultJWTClaimsVerifier<>(
            rules.audiences(),
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
   * Who they are. Fails with {@link Refusal}; with a problem if there are no keys to check with. A
   * token of a key that is not known waits for the keys to be fetched once more, as rarely as
   * {@link SigningKeys} does that.
   */
  CompletionStage<Identity> identity(String token) {
    SignedJWT signed = parsed(token);
    if (keys.know(signed.getHeader().getKeyID())) {
      return CompletableFuture.completedFuture(checked(signed));
    }
    return keys.again().thenApply(fetched -> checked(signed));
  }

  private static SignedJWT parsed(String token) {
    if (token.length() > LONGEST) {
      throw new Refusal("the token is too long");
    }
    try {
      return SignedJWT.parse(token);
    } catch (ParseException e) {
      throw new Refusal(NOT_ACCEPTED); // Unsigned and encrypted ones too.
    }
  }

  private Identity checked(SignedJWT signed) {
    keys.check();
    try {
      JWTClaimsSet claims = processor.process(signed, null);
      String name = claims.getStringClaim(rules.nameClaim());
      if (name == null || name.isBlank()) {
        throw new Refusal(NOT_ACCEPTED);
      }
      return new Identity("jwt:" + name, marks(claims));
    } catch (ExpiredJWTException e) {
      throw new Refusal("the token has expired");
    } catch (BadJOSEException | JOSEException | ParseException | IllegalArgumentException e) {
      throw new Refusal(NOT_ACCEPTED);
    }
  }

  private Set<String> marks(JWTClaimsSet claims) {
    Set<String> marks = new TreeSet<>();
    for (String claim : rules.markClaims()) {
      Object value = claims.getClaim(claim);
      Collection<?> all =
          value instanceof Collection<?> several
              ? several
              : value instanceof String text && claim.equals("scope")
                  ? List.of(text.split(" ", -1))
                  : value == null ? List.of() : List.of(value);
      for (Object one : all) {
        if (one instanceof String text && marks.size() < MOST_MARKS) {
          marks.add("claim:%s=%s".formatted(claim, text));
        }
      }
    }
    return marks;
  }
}
