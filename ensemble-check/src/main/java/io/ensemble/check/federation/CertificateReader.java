package io.ensemble.check.federation;

import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Reads the certificates that nodes present, and those in files. */
public final class CertificateReader {

  private CertificateReader() {}

  /**
   * The chain that a node presents, trusted or not: an expired certificate is reported too. Nothing
   * is sent over the connection, which ends after the handshake.
   *
   * @throws IOException if there is no handshake within {@code longest}
   */
  public static List<X509Certificate> presented(
      SiteConfiguration site, Endpoint endpoint, Duration longest) throws IOException {
    ChainRecorder recorder = new ChainRecorder();
    int millis = Math.toIntExact(longest.toMillis());
    try (Socket plain = new Socket()) {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {recorder}, null);
      plain.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millis);
      plain.setSoTimeout(millis);
      Tls tls = site.tls();
      String sni = tls == null ? null : tls.sniHostName();
      String name = sni == null ? site.endpoints().get(0).host() : sni;
      SSLSocket secured =
          (SSLSocket) context.getSocketFactory().createSocket(plain, name, endpoint.port(), true);
      secured.startHandshake();
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK supports TLS", e);
    } catch (IOException e) {
      if (recorder.chain.isEmpty()) {
        throw new IOException("no TLS handshake: " + e.getMessage(), e);
      } // Otherwise the node requires a certificate of the client, and has presented its own.
    }
    return recorder.chain;
  }

  /** Records the chain. The connection carries nothing, so nothing depends on trust. */
  private static final class ChainRecorder extends X509ExtendedTrustManager {

    private volatile List<X509Certificate> chain = List.of();

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, Socket socket) {
      chain = List.of(shown);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, SSLEngine engine) {
      chain = List.of(shown);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type) {
      chain = List.of(shown);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, Socket socket) {
      throw new UnsupportedOperationException("for servers only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, SSLEngine engine) {
      throw new UnsupportedOperationException("for servers only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type) {
      throw new UnsupportedOperationException("for servers only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /**
   * The certificates in the trust store.
   *
   * @throws IOException if it cannot be read; the message names the file
   */
  public static List<X509Certificate> inTrustStore(Tls tls) throws IOException {
    Path file = tls.trustStore();
    return tls.storeType().equals("pem")
        ? inPem(file)
        : inStore(file, tls.storeType(), tls.trustStorePassword());
  }

  /**
   * The certificates of this client, with their chains; empty without a key store.
   *
   * @throws IOException if it cannot be read; the message names the file
   */
  public static List<X509Certificate> inKeyStore(Tls tls) throws IOException {
    Path file = tls.keyStore();
    return file == null ? List.of() : inStore(file, Tls.storeType(file), tls.keyStorePassword());
  }

  private static List<X509Certificate> inPem(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
          .map(X509Certificate.class::cast)
          .toList();
    } catch (GeneralSecurityException | IOException e) {
      throw unreadable(file, e);
    }
  }

  private static List<X509Certificate> inStore(
      Path file, String type, @Nullable Supplier<char[]> password) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(type);
      store.load(in, password == null ? null : password.get());
      List<X509Certificate> all = new ArrayList<>();
      for (String alias : Collections.list(store.aliases())) {
        Certificate[] chain = store.getCertificateChain(alias);
        Certificate single = store.getCertificate(alias);
        for (Certificate one :
            chain != null
                ? chain
                : single != null ? new Certificate[] {single} : new Certificate[0]) {
          if (one instanceof X509Certificate known) {
            all.add(known);
          }
        }
      }
      return all;
    } catch (GeneralSecurityException | IOException | IllegalStateException e) {
      throw unreadable(file, e);
    }
  }

  /**
   * The complete revocation lists in a file. Lists that are limited, to changes for example, are
   * left out: they do not say that a certificate is not revoked.
   *
   * @throws IOException if the file cannot be read; the message names it
   */
  public static List<X509CRL> completeLists(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      List<X509CRL> complete = new ArrayList<>();
      for (var one : CertificateFactory.getInstance("X.509").generateCRLs(in)) {
        X509CRL list = (X509CRL) one;
        Set<String> limits = list.getCriticalExtensionOIDs();
        if (limits == null || limits.isEmpty()) {
          complete.add(list);
        }
      }
      return complete;
    } catch (GeneralSecurityException | IOException e) {
      throw unreadable(file, e);
    }
  }

  private static IOException unreadable(Path file, Exception why) {
    return new IOException("cannot be read: " + file + ": " + why.getMessage(), why);
  }
}
