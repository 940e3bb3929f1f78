package io.ensemble.rest.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Tokens of an issuer, valid and invalid. */
final class TestTokens {

  private TestTokens() {}

  static Date in(Duration later) {
    return Date.from(Instant.now().plus(later));
  }

  /** Claims of ada for this service, which end after five minutes. */
  static JWTClaimsSet.Builder claims(String issuer) {
    return new JWTClaimsSet.Builder()
        .issuer(issuer)
        .audience("ensemble")
        .subject("ada")
        .claim("groups", List.of("dev"))
        .expirationTime(in(Duration.ofMinutes(5)));
  }

  static String of(String issuer, JWSAlgorithm algorithm, JWK key) {
    return of(issuer, algorithm, key, claims -> {});
  }

  static String of(
      String issuer, JWSAlgorithm algorithm, JWK key, Consumer<JWTClaimsSet.Builder> change) {
    return of(issuer, new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), key, change);
  }

  static String of(
      String issuer, JWSHeader header, JWK key, Consumer<JWTClaimsSet.Builder> change) {
    JWTClaimsSet.Builder claims = claims(issuer);
    change.accept(claims);
    return signed(header, signer(key), claims.build());
  }

  static String signed(JWSHeader header, JWSSigner signer, JWTClaimsSet claims) {
    try {
      SignedJWT token = new SignedJWT(header, claims);
      token.sign(signer);
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JWSSigner signer(JWK key) {
    try {
      return key instanceof RSAKey rsa
          ? new RSASSASigner(rsa.toRSAPrivateKey(), Set.of(AllowWeakRSAKey.getInstance()))
          : new ECDSASigner((ECKey) key);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An RS256 token with any header, even one that libraries reject. */
  static String under(String header, byte[] payload, RSAKey key) {
    return under(header, base64(payload), key);
  }

  /** The same, with a payload that is not encoded. */
  static String under(String header, String payload, RSAKey key) {
    try {
      String signed = base64(header.getBytes(UTF_8)) + "." + payload;
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key.toPrivateKey());
      signature.update(signed.getBytes(UTF_8));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException | JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
