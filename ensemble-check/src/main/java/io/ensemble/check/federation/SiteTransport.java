package io.ensemble.check.federation;

import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteTlsContext;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** The transport to a site's nodes: clear text, or TLS as the site's configuration requires. */
interface SiteTransport {

  /** In clear text. */
  SiteTransport CLEAR = (plain, endpoint) -> plain;

  /**
   * Returns the socket to use over a connection to {@code endpoint}; does the TLS handshake.
   *
   * @throws IOException if the certificate of the node is not accepted
   */
  Socket over(Socket plain, Endpoint endpoint) throws IOException;

  /**
   * The transport to a site.
   *
   * @throws IOException if its trust store, key store or revocation lists cannot be used
   * @throws IllegalStateException if every user can read or change its key store, or the file of a
   *     password
   */
  static SiteTransport to(SiteConfiguration site) throws IOException {
    Tls tls = site.tls();
    if (tls == null) {
      return CLEAR;
    }
    SSLContext context = SiteTlsContext.of(tls);
    String message = tls.sniHostName();
    String name = message == null ? site.endpoints().get(0).host() : message;
    return (plain, endpoint) -> {
      SSLSocket secured =
          (SSLSocket) context.getSocketFactory().createSocket(plain, name, endpoint.port(), true);
      SSLParameters parameters = secured.getSSLParameters();
      // The certificate must contain the name; without this setting any accepted certificate would
      // do.
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secured.setSSLParameters(parameters);
      secured.startHandshake();
      return secured;
    };
  }
}
