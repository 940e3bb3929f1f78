package io.ensemble.rest.access;

import io.ensemble.site.hotrod.configuration.ReloadingFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reads keys and certificates in PEM format. */
final class Pem {

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final List<String> KINDS = List.of("RSA", "EC");

  private Pem() {}

  static KeyStore createKeyStore(Path certificate, Path key, char[] keyPassword) {
    try {
      KeyStore store = createEmptyStore();
      store.setKeyEntry(
          "service",
          readKey(key),
          keyPassword,
          readCertificates(certificate).toArray(Certificate[]::new));
      return store;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the private key does not match the certificate; file=" + certificate, e);
    }
  }

  /** A store with the certificates of a file. */
  static KeyStore loadTrustStore(Path file) {
    try {
      KeyStore store = createEmptyStore();
      int count = 0;
      for (Certificate certificate : readCertificates(file)) {
        store.setCertificateEntry("trusted-" + count++, certificate);
      }
      return store;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("expected certificates in PEM; file=" + file, e);
    }
  }

  /** A TLS context that accepts only certificates signed by the authorities in a file. */
  static SSLContext createContext(Path file) {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(loadTrustStore(file));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("expected certificates in PEM; file=" + file, e);
    }
  }

  private static KeyStore createEmptyStore() throws GeneralSecurityException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      return store;
    } catch (IOException e) {
      throw new AssertionError("reading an empty store cannot fail", e);
    }
  }

  static List<X509Certificate> readCertificates(Path file) {
    try {
      List<X509Certificate> certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(ReloadingFile.readBytes(file)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (certificates.isEmpty()) {
        throw new IllegalArgumentException("expected certificates in PEM; got none; file=" + file);
      }
      return certificates;
    } catch (CertificateException e) {
      throw new IllegalArgumentException("expected certificates in PEM; file=" + file, e);
    }
  }

  private static PrivateKey readKey(Path file) {
    Matcher matcher =
        KEY.matcher(new String(ReloadingFile.readBytes(file), StandardCharsets.US_ASCII));
    if (matcher.find()) {
      PKCS8EncodedKeySpec spec =
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
      for (String kind : KINDS) {
        try {
          return KeyFactory.getInstance(kind).generatePrivate(spec);
        } catch (GeneralSecurityException otherKind) {
          // Tried as another kind of key next.
        }
      }
    }
    // Without a cause, whose message might show parts of the key.
    throw new IllegalArgumentException(
        "expected an RSA or elliptic curve key in PEM (PKCS8, not encrypted); file=" + file);
  }
}
