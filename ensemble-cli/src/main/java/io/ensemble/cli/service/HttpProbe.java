package io.ensemble.cli.service;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The health of a REST service. It sends nothing secret, so it accepts any certificate. A service
 * that requires certificates of clients rejects it in the handshake. With TLS 1.3 the rejection may
 * arrive later, as an alert or a closed connection. Each of these counts as a response, but no
 * failure to connect and no timeout does.
 */
public final class HttpProbe implements HealthProbe {

  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int SERVER_ERROR = 500;

  /** What the service answers instead of a status when it requires a certificate. */
  private static final int NO_CERTIFICATE = 401;

  private final URI address;

  /**
   * @param service the address at which the service listens; a wildcard stands for this host
   */
  public HttpProbe(URI service) {
    this.address = withHost(service);
  }

  private static URI withHost(URI service) {
    try {
      if (InetAddress.getByName(service.getHost()).isAnyLocalAddress()) {
        return URI.create(service.getScheme() + "://127.0.0.1:" + service.getPort());
      }
    } catch (UnknownHostException e) {
      // Each request fails by itself.
    }
    return service;
  }

  /** Whether the service answers {@code /health/ready} with a status below 500. */
  @Override
  public boolean isReady() {
    try {
      return status("/health/ready") < SERVER_ERROR;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the service answers {@code /health/live} with any status. */
  @Override
  public boolean isLive() {
    try {
      return status("/health/live") > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private int status(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) address.resolve(path).toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    connection.setRequestProperty("Connection", "close"); // Each request meets the acceptor.
    if (connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(anyCertificate().getSocketFactory());
      secure.setHostnameVerifier((host, session) -> true);
    }
    return status(connection);
  }

  /** The status of the response; {@link #NO_CERTIFICATE} if the service closed the connection. */
  static int status(HttpURLConnection connection) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (IOException e) { // "Error writing to server" has no type of its own.
      if (!(connection instanceof HttpsURLConnection) || isSilence(e)) {
        throw e;
      }
      return NO_CERTIFICATE;
    } finally {
      connection.disconnect();
    }
  }

  /** Whether nothing came back: no connection, or a timeout within the handshake. */
  private static boolean isSilence(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          || cause instanceof NoRouteToHostException
          || cause instanceof SocketTimeoutException
          || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static SSLContext anyCertificate() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new AnyCertificate()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("each Java has TLS", e);
    }
  }

  private static final class AnyCertificate implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
