package io.ensemble.site.hotrod.configuration;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CRL;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trusts servers whose certificates lead to a trusted one and are not revoked, by revocation lists
 * in a file. A certificate whose status is unknown is rejected: if its issuer has no list in the
 * file, or the list has expired. The lists are read again when the file has changed; while the new
 * content is invalid, the former lists stay in force, which bounds their use by their expiry.
 *
 * <p>The JDK's PKIX revocation checker decides. If no list applies, it would fetch one from the
 * address that the certificate names, on a thread of the client. So this class requires a complete,
 * current list of each issuer first, and no request is sent. Thread-safe.
 */
final class RevocationTrustManager extends X509ExtendedTrustManager {

  private static final Logger LOG = LoggerFactory.getLogger(RevocationTrustManager.class);

  /** The checker's tolerance of clocks. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(15);

  /** A version of the file, its lists, the trusted certificates, and the trust manager of these. */
  private record LoadedLists(
      FileTime modified,
      long bytes,
      List<X509CRL> lists,
      Set<X509Certificate> trusted,
      X509ExtendedTrustManager manager) {

    boolean isOf(BasicFileAttributes attributes) {
      return modified.equals(attributes.lastModifiedTime()) && bytes == attributes.size();
    }

    /** Requires a list for each certificate of the chain below a trusted one. */
    void requireFor(X509Certificate[] chain) throws CertificateException {
      for (X509Certificate certificate : chain) {
        if (trusted.contains(certificate)) {
          return;
        }
        X500Principal issuer = certificate.getIssuerX500Principal();
        if (lists.stream().noneMatch(list -> isCurrentListOf(issuer, list, chain))) {
          throw new CertificateException(
              "Could not determine revocation status: expected a complete, current revocation list"
                  + " of the issuer; got none; issuer="
                  + issuer);
        }
      }
    }

    private boolean isCurrentListOf(X500Principal issuer, X509CRL list, X509Certificate[] chain) {
      Set<String> limits = list.getCriticalExtensionOIDs(); // Changes, or some certificates, only.
      Date next = list.getNextUpdate();
      Instant now = Instant.now();
      return list.getIssuerX500Principal().equals(issuer)
          && (limits == null || limits.isEmpty())
          && next != null
          && !list.getThisUpdate().toInstant().isAfter(now.plus(CLOCK_SKEW))
          && !next.toInstant().isBefore(now.minus(CLOCK_SKEW))
          && Stream.concat(Stream.of(chain), trusted.stream())
              .anyMatch(authority -> hasSigned(authority, list));
    }

    private static boolean hasSigned(X509Certificate authority, X509CRL list) {
      if (!authority.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
        return false;
      }
      try {
        list.verify(authority.getPublicKey());
        return true;
      } catch (GeneralSecurityException other) {
        return false;
      }
    }
  }

  private final Path file;
  private final KeyStore trusted;
  private final X509ExtendedTrustManager withoutLists;
  private volatile LoadedLists loaded;

  private RevocationTrustManager(
      Path file, KeyStore trusted, X509ExtendedTrustManager withoutLists, LoadedLists loaded) {
    this.file = file;
    this.trusted = trusted;
    this.withoutLists = withoutLists;
    this.loaded = loaded;
  }

  /**
   * Reads the lists.
   *
   * @param file one or several lists, in PEM or DER
   * @param withoutLists makes all other checks, first
   * @throws GeneralSecurityException if these are no lists, or nothing is trusted
   */
  static RevocationTrustManager reading(
      Path file, KeyStore trusted, X509ExtendedTrustManager withoutLists)
      throws GeneralSecurityException, IOException {
    return new RevocationTrustManager(file, trusted, withoutLists, load(file, trusted));
  }

  private static LoadedLists load(Path file, KeyStore trusted)
      throws GeneralSecurityException, IOException {
    // The attributes come first: a change during the read is found by the next check.
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    Collection<? extends CRL> lists =
        CertificateFactory.getInstance("X.509")
            .generateCRLs(new ByteArrayInputStream(Files.readAllBytes(file)));
    if (lists.isEmpty()) {
      throw new CertificateException("expected revocation lists in PEM or DER; got none");
    }
    PKIXRevocationChecker checker =
        (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
    checker.setOptions(
        EnumSet.of(
            PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK));
    PKIXBuilderParameters parameters = new PKIXBuilderParameters(trusted, new X509CertSelector());
    parameters.addCertStore(
        CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
    parameters.addCertPathChecker(checker);
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(new CertPathTrustManagerParameters(parameters));
    return new LoadedLists(
        attributes.lastModifiedTime(),
        attributes.size(),
        lists.stream().map(X509CRL.class::cast).toList(),
        parameters.getTrustAnchors().stream()
            .map(TrustAnchor::getTrustedCert)
            .collect(Collectors.toUnmodifiableSet()),
        (X509ExtendedTrustManager) factory.getTrustManagers()[0]);
  }

  private X509ExtendedTrustManager currentFor(X509Certificate[] chain) throws CertificateException {
    LoadedLists present = current();
    present.requireFor(chain);
    return present.manager();
  }

  private LoadedLists current() {
    LoadedLists present = loaded;
    try {
      if (!present.isOf(Files.readAttributes(file, BasicFileAttributes.class))) {
        present = load(file, trusted);
        loaded = present;
        LOG.info("revocation lists read again; file={}", file);
      }
    } catch (GeneralSecurityException | IOException e) {
      LOG.warn("revocation lists cannot be read; the former ones stay in force; file={}", file, e);
    }
    return present;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType, engine);
    currentFor(chain).checkServerTrusted(chain, authType, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType, socket);
    currentFor(chain).checkServerTrusted(chain, authType, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    withoutLists.checkServerTrusted(chain, authType);
    currentFor(chain).checkServerTrusted(chain, authType);
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
    return loaded.manager().getAcceptedIssuers();
  }
}
