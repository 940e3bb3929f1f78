package io.ensemble.rest.jetty;

import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 and HTTP/2 on one port. Over TLS the two sides negotiate the protocol (ALPN). Without
 * TLS a client that knows that the service speaks HTTP/2 begins with it.
 */
public final class HttpProtocols {

  /** The maximum number of requests in progress on one connection. Jetty's own default. */
  static final int MOST_STREAMS = 128;

  /**
   * Bytes that a client may send on one connection, and for one request, before the service has
   * read them. They are memory that a caller can take before it is identified.
   */
  private static final int CONNECTION_WINDOW = 1 << 18;

  private static final int STREAM_WINDOW = 1 << 16;

  private HttpProtocols() {}

  /** The protocols of a service without TLS. */
  public static ConnectionFactory[] create(HttpConfiguration http) {
    return new ConnectionFactory[] {new HttpConnectionFactory(http), bounded(new Cleartext(http))};
  }

  /** The protocols of a service with TLS. */
  public static ConnectionFactory[] create(HttpConfiguration http, SslContextFactory.Server tls) {
    ALPNServerConnectionFactory negotiation = new ALPNServerConnectionFactory();
    negotiation.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());
    return AbstractConnectionFactory.getFactories(
        tls,
        negotiation,
        bounded(new HTTP2ServerConnectionFactory(http)),
        new HttpConnectionFactory(http));
  }

  private static ConnectionFactory bounded(AbstractHTTP2ServerConnectionFactory factory) {
    factory.setMaxConcurrentStreams(MOST_STREAMS);
    factory.setInitialSessionRecvWindow(CONNECTION_WINDOW);
    factory.setInitialStreamRecvWindow(STREAM_WINDOW);
    factory.setConnectProtocolEnabled(false);
    return factory;
  }

  /**
   * HTTP/2 without TLS for clients that begin with it. A request of HTTP/1.1 is never upgraded: a
   * proxy in front of the service that passes {@code Upgrade} on would no longer see, nor filter,
   * the requests after it.
   */
  private static final class Cleartext extends HTTP2CServerConnectionFactory {

    Cleartext(HttpConfiguration http) {
      super(http);
    }

    @Override
    public @Nullable Connection upgradeConnection(
        Connector connector,
        EndPoint endPoint,
        MetaData.Request request,
        HttpFields.Mutable response) {
      return HttpMethod.PRI.is(request.getMethod())
          ? super.upgradeConnection(connector, endPoint, request, response)
          : null;
    }
  }
}
