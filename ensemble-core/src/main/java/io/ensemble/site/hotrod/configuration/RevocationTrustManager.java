package io.ensemble.site.hotrod.configuration;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * Trusts servers whose certificates lead to a trusted one and are not revoked, by revocation lists
 * in a file of at most {@value ReloadingFile#LARGEST_LISTS_BYTES} bytes. A certificate whose status
 * is unknown is rejected: if the file has no complete list that is signed by the key which signed
 * the certificate, or the list has expired. The lists are read again when the file has changed;
 * while the new content is invalid, the former lists stay in force, which bounds their use by their
 * expiry.
 *
 * <p>The JDK's own revocation checker is not used: without an applicable list, it fetches one from
 * the address that the certificate names, on a thread of the client. This class sends no request.
 * Thread-safe.
 */
final class RevocationTrustManager extends X509ExtendedTrustManager {

  /** The tolerance of clocks, that of the JDK's checker. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(15);

  private final ReloadingFile<List<X509CRL>> file;
  private final X509ExtendedTrustManager withoutLists;
  private final Set<X509Certificate> trusted;

  private RevocationTrustManager(
      ReloadingFile<List<X509CRL>> file, X509ExtendedTrustManager withoutLists) {
    this.file = file;
    this.withoutLists = withoutLists;
    this.trusted = Set.copyOf(List.of(withoutLists.getAcceptedIssuers()));
  }

  /**
   * Reads the lists.
   *
   * @param file one or several lists, in PEM or DER
   * @param withoutLists makes all other checks, first
   * @throws IllegalArgumentException if these are no lists
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  static RevocationTrustManager reading(Path file, X509ExtendedTrustManager withoutLists) {
    return new RevocationTrustManager(
        ReloadingFile.ofLists(file, RevocationTrustManager::parse), withoutLists);
  }

  /**
   * The lists in a file.
   *
   * @throws IllegalArgumentException if there are none
   */
  static List<X509CRL> parse(byte[] content) {
    List<X509CRL> lists;
    try {
      lists =
          CertificateFactory.getInstance("X.509")
              .generateCRLs(new ByteArrayInputStream(content))
              .stream()
              .map(X509CRL.class::cast)
              .toList();
    } catch (CertificateException | CRLException e) {
      throw new IllegalArgumentException("expected revocation lists in PEM or DER", e);
    }
    if (lists.isEmpty()) {
      throw new IllegalArgumentException("expected revocation lists in PEM or DER; got none");
    }
    return lists;
  }

  /**
   * Checks each certificate that is not itself trusted, in whichever order the server sent them.
   */
  private void requireUnrevoked(X509Certificate[] chain) throws CertificateException {
    List<X509CRL> lists = file.get();
    for (X509Certificate certificate : chain) {
      if (trusted.contains(certificate)) {
        continue;
      }
      X500Principal issuer = certificate.getIssuerX500Principal();
      List<X509CRL> current =
          lists.stream().filter(list -> isCurrentListFor(certificate, list, chain)).toList();
      if (current.isEmpty()) {
        throw new CertificateException(
            "Could not determine revocation status: expected a complete, current revocation list"
                + " of the issuer; got none; issuer="
                + issuer);
      }
      if (current.stream().anyMatch(list -> list.isRevoked(certificate))) {
        throw new CertificateException(
            "Certificate has been revoked; subject=" + certificate.getSubjectX500Principal());
      }
    }
  }

  private boolean isCurrentListFor(
      X509Certificate certificate, X509CRL list, X509Certificate[] chain) {
    Set<String> limits = list.getCriticalExtensionOIDs(); // Changes, or some certificates, only.
    Date next = list.getNextUpdate();
    Instant now = Instant.now();
    return list.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())
        && (limits == null || limits.isEmpty())
        && next != null
        && !list.getThisUpdate().toInstant().isAfter(now.plus(CLOCK_SKEW))
        && !next.toInstant().isBefore(now.minus(CLOCK_SKEW))
        && Stream.concat(Stream.of(chain), trusted.stream())
            .anyMatch(authority -> hasSignedBoth(authority, certificate, list));
  }

  /** An authority with a new key keeps its name: a list of the former key says nothing. */
  private static boolean hasSignedBoth(
      X509Certificate authority, X509Certificate certificate, X509CRL list) {
    if (!authority.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
      return false;
    }
    try {
      certificate.verify(authority.getPublicKey());
      list.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException other) {
      return false;
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType, engine);
    requireUnrevoked(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType, socket);
    requireUnrevoked(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType);
    requireUnrevoked(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw rejectClient();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw rejectClient();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw rejectClient();
  }

  private static CertificateException rejectClient() {
    return new CertificateException("this trust manager is for servers only");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return withoutLists.getAcceptedIssuers();
  }
}
