package io.ensemble.site.hotrod.configuration;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Shows each chain of a server to an observer, and leaves every decision to another trust manager.
 * So a certificate that is rejected, because it has expired, can be read as well. Thread-safe if
 * the observer is.
 */
final class ObservingTrustManager extends X509ExtendedTrustManager {

  private final X509ExtendedTrustManager checks;
  private final Consumer<X509Certificate[]> observer;

  ObservingTrustManager(X509ExtendedTrustManager checks, Consumer<X509Certificate[]> observer) {
    this.checks = checks;
    this.observer = observer;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    observer.accept(chain);
    checks.checkServerTrusted(chain, authType, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    observer.accept(chain);
    checks.checkServerTrusted(chain, authType, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    observer.accept(chain);
    checks.checkServerTrusted(chain, authType);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    checks.checkClientTrusted(chain, authType, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    checks.checkClientTrusted(chain, authType, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    checks.checkClientTrusted(chain, authType);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return checks.getAcceptedIssuers();
  }
}
