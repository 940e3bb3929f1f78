package io.ensemble.rest.identity;

import io.ensemble.site.hotrod.configuration.SiteCertificates;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate revocation lists of the authorities of client certificates. A certificate whose
 * status is unknown is refused: if its issuer has no list, or the list has expired. Immutable.
 */
public final class RevocationLists {

  private static final Logger LOG = LoggerFactory.getLogger(RevocationLists.class);

  private final Map<X500Principal, List<X509CRL>> byIssuer;

  private RevocationLists(Map<X500Principal, List<X509CRL>> byIssuer) {
    this.byIssuer = byIssuer;
  }

  /**
   * Reads lists, in PEM (one or several) or DER. Lists with critical extensions are refused: they
   * contain changes only, or some of the certificates.
   *
   * @param authorities those that may sign the lists
   * @throws IllegalArgumentException if there is no list, or none of the authorities has signed one
   */
  public static RevocationLists parse(byte[] content, Collection<X509Certificate> authorities) {
    Collection<? extends CRL> lists;
    try {
      lists =
          CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(content));
    } catch (CertificateException | CRLException e) {
      throw new IllegalArgumentException("expected revocation lists in PEM or DER", e);
    }
    if (lists.isEmpty()) {
      throw new IllegalArgumentException("expected revocation lists in PEM or DER; got none");
    }
    Map<X500Principal, List<X509CRL>> byIssuer = new HashMap<>();
    for (CRL one : lists) {
      X509CRL list = (X509CRL) one;
      X500Principal issuer = list.getIssuerX500Principal();
      Set<String> extensions = list.getCriticalExtensionOIDs();
      if (extensions != null && !extensions.isEmpty()) {
        throw new IllegalArgumentException(
            "expected complete revocation lists; got one of "
                + issuer
                + " with the critical extensions "
                + extensions
                + ", which limit it to some certificates");
      }
      if (authorities.stream().noneMatch(authority -> hasSigned(authority, list))) {
        throw new IllegalArgumentException(
            "a revocation list must be signed by a trusted authority; got one of " + issuer);
      }
      if (!isCurrent(list, Instant.now())) {
        LOG.warn(
            "a revocation list has expired, or is not yet valid: clients of its issuer are refused;"
                + " issuer={} thisUpdate={} nextUpdate={}",
            issuer,
            list.getThisUpdate(),
            list.getNextUpdate());
      }
      byIssuer.computeIfAbsent(issuer, name -> new ArrayList<>()).add(list);
    }
    return new RevocationLists(byIssuer);
  }

  /**
   * The first time at which an authority has no current list, and its clients are refused; null if
   * no list names its next update.
   */
  public @Nullable Instant nextUpdate() {
    return SiteCertificates.nextUpdate(byIssuer.values().stream().flatMap(List::stream).toList());
  }

  private static boolean hasSigned(X509Certificate authority, X509CRL list) {
    try {
      list.verify(authority.getPublicKey());
      return authority.getSubjectX500Principal().equals(list.getIssuerX500Principal());
    } catch (GeneralSecurityException other) {
      return false;
    }
  }

  private static boolean isCurrent(X509CRL list, Instant now) {
    Date next = list.getNextUpdate();
    return !list.getThisUpdate().toInstant().isAfter(now)
        && next != null
        && now.isBefore(next.toInstant());
  }

  /**
   * Checks a certificate and those that the client sent with it, except self-signed ones.
   *
   * @param chain the client's own certificate first
   * @throws AuthenticationFailedException if one is revoked, or its status is unknown
   */
  void check(List<X509Certificate> chain, Instant now) {
    for (X509Certificate certificate : chain) {
      X500Principal issuer = certificate.getIssuerX500Principal();
      if (certificate != chain.get(0) && certificate.getSubjectX500Principal().equals(issuer)) {
        continue;
      }
      List<X509CRL> lists =
          byIssuer.getOrDefault(issuer, List.of()).stream()
              .filter(list -> isCurrent(list, now))
              .toList();
      if (lists.isEmpty()) {
        throw new AuthenticationFailedException(
            "the status of the certificate is unknown: the service has no current revocation list "
                + "of its issuer");
      }
      if (lists.stream().anyMatch(list -> list.isRevoked(certificate))) {
        throw new AuthenticationFailedException("the certificate is revoked");
      }
    }
  }
}
