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
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.EnumSet;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trusts servers whose certificates lead to a trusted one and are not revoked, by revocation lists
 * in a file. A certificate whose status is unknown is rejected: if its issuer has no list in the
 * file, or the list has expired. The lists are read again when the file has changed; while the new
 * content is invalid, the former lists stay in force, which bounds their use by their expiry.
 *
 * <p>The JDK's PKIX revocation checker decides, without requests to the network. Thread-safe.
 */
final class RevocationTrustManager extends X509ExtendedTrustManager {

  private static final Logger LOG = LoggerFactory.getLogger(RevocationTrustManager.class);

  /** A version of the file, and the trust manager with its lists. */
  private record LoadedLists(FileTime modified, long bytes, X509ExtendedTrustManager manager) {

    boolean isOf(BasicFileAttributes attributes) {
      return modified.equals(attributes.lastModifiedTime()) && bytes == attributes.size();
    }
  }

  private final Path file;
  private final KeyStore trusted;
  private volatile LoadedLists loaded;

  private RevocationTrustManager(Path file, KeyStore trusted, LoadedLists loaded) {
    this.file = file;
    this.trusted = trusted;
    this.loaded = loaded;
  }

  /**
   * Reads the lists.
   *
   * @param file one or several lists, in PEM or DER
   * @throws GeneralSecurityException if these are no lists, or nothing is trusted
   */
  static RevocationTrustManager reading(Path file, KeyStore trusted)
      throws GeneralSecurityException, IOException {
    return new RevocationTrustManager(file, trusted, load(file, trusted));
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
        (X509ExtendedTrustManager) factory.getTrustManagers()[0]);
  }

  private X509ExtendedTrustManager current() {
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
    return present.manager();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    current().checkServerTrusted(chain, authType, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    current().checkServerTrusted(chain, authType, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    current().checkServerTrusted(chain, authType);
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
