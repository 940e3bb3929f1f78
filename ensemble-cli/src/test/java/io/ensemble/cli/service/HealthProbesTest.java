package io.ensemble.cli.service;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ensemble.testkit.keys.CertificateAuthority;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;

class HealthProbesTest {

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @Test
  void aServiceWithoutItsCatalogIsLiveAndNotReady() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext("/health/live", exchange -> reply(exchange, 200));
    server.createContext("/health/ready", exchange -> reply(exchange, 503));
    server.start();
    HttpProbe probe =
        new HttpProbe(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));

    assertThat(probe.isLive()).isTrue();
    assertThat(probe.isReady()).isFalse();
    server.stop(0);
    assertThat(probe.isLive()).isFalse();
    assertThat(probe.isReady()).isFalse();
  }

  @Test
  void aWildcardAddressIsProbedOnThisHost() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext("/health/ready", exchange -> reply(exchange, 200));
    server.start();

    assertThat(
            new HttpProbe(URI.create("http://0.0.0.0:" + server.getAddress().getPort())).isReady())
        .isTrue();
    server.stop(0);
  }

  @Test
  void aServiceThatRejectsAMissingCertificateResponds() throws Exception {
    CertificateAuthority authority = CertificateAuthority.create("trial", Duration.ofDays(9));
    SSLContext context =
        authority.server("lyon", List.of("localhost")).context(authority.certificate());
    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      try (SSLServerSocket server =
          (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 9, HERE)) {
        server.setEnabledProtocols(new String[] {version});
        server.setNeedClientAuth(true);
        startDaemon(server, connection -> connection.getInputStream().read());

        assertThat(https(server).isLive()).as(version).isTrue();
      }
    }
  }

  /** {@code HttpURLConnection} fails so when it writes after the service has rejected it. */
  @Test
  void aFailureToWriteIsAResponseAndAFailureToConnectIsNone() throws IOException {
    assertThat(HttpProbe.status(failing(new IOException("Error writing to server"))))
        .isEqualTo(401);
    for (IOException failure :
        List.of(
            new ConnectException(),
            new IOException(new ConnectException()),
            new UnknownHostException("no such host"),
            new SocketTimeoutException())) {
      assertThatThrownBy(() -> HttpProbe.status(failing(failure))).isSameAs(failure);
    }
  }

  private static HttpsURLConnection failing(IOException failure) {
    return new HttpsURLConnection(null) {
      @Override
      public int getResponseCode() throws IOException {
        throw failure;
      }

      @Override
      public String getCipherSuite() {
        return "";
      }

      @Override
      public Certificate[] getLocalCertificates() {
        return new Certificate[0];
      }

      @Override
      public Certificate[] getServerCertificates() {
        return new Certificate[0];
      }

      @Override
      public void connect() {}

      @Override
      public void disconnect() {}

      @Override
      public boolean usingProxy() {
        return false;
      }
    };
  }

  @Test
  void aConnectionThatTheServiceResetsIsAResponse() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      startDaemon(server, connection -> connection.setSoLinger(true, 0));

      assertThat(https(server).isLive()).isTrue();
    }
  }

  @Test
  void aServiceThatDoesNotSpeakTlsResponds() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      startDaemon(
          server,
          connection -> connection.getOutputStream().write("HTTP/1.1 400 Bad".getBytes(US_ASCII)));

      assertThat(https(server).isLive()).isTrue();
    }
  }

  @Test
  void aServiceThatAcceptsAndSaysNothingDoesNotRespond() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      assertThat(https(server).isLive()).isFalse();
    }
  }

  @Test
  void aServiceThatIsGoneDoesNotRespond() throws IOException {
    HttpProbe closed;
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      closed = https(server);
    }

    assertThat(closed.isLive()).isFalse();
  }

  @Test
  void aServiceWithoutTlsThatClosesTheConnectionIsNotReady() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      startDaemon(server, connection -> {});

      assertThat(new HttpProbe(URI.create("http://127.0.0.1:" + server.getLocalPort())).isReady())
          .isFalse();
    }
  }

  @Test
  void noProxyIsUsed() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext("/health/live", exchange -> reply(exchange, 200));
    server.start();
    ProxySelector selector = ProxySelector.getDefault();
    ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress(HERE, 1)));
    try {
      assertThat(
              new HttpProbe(URI.create("http://127.0.0.1:" + server.getAddress().getPort()))
                  .isLive())
          .isTrue();
    } finally {
      ProxySelector.setDefault(selector);
      server.stop(0);
    }
  }

  @Test
  void aProxyThatClosesTheConnectionResponds() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
      Thread closing = new Thread(() -> acceptAndClose(server));
      closing.start();

      assertThat(new FourLetterProbe(address(server)).isLive()).isTrue();
      closing.join();
    }
  }

  @Test
  void aProxyThatAcceptsAndSaysNothingDoesNotRespond() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
      assertThat(new FourLetterProbe(address(server)).isLive()).isFalse();
    }
  }

  @Test
  void aClosedPortDoesNotRespond() throws IOException {
    InetSocketAddress closed;
    try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
      closed = address(server);
    }

    assertThat(new FourLetterProbe(closed).isLive()).isFalse();
  }

  private static HttpProbe https(ServerSocket server) {
    return new HttpProbe(URI.create("https://127.0.0.1:" + server.getLocalPort()));
  }

  /** Does the step for each connection, and closes it, until the server is closed. */
  private static void startDaemon(ServerSocket server, ConnectionStep step) {
    Thread thread =
        new Thread(
            () -> {
              while (!server.isClosed()) {
                try (Socket connection = server.accept()) {
                  step.accept(connection);
                } catch (IOException e) {
                  // The client is rejected, or the server is closed.
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private interface ConnectionStep {
    void accept(Socket connection) throws IOException;
  }

  private static InetSocketAddress address(ServerSocket server) {
    return new InetSocketAddress(HERE, server.getLocalPort());
  }

  private static void acceptAndClose(ServerSocket server) {
    try (Socket unused = server.accept()) {
      // Closes without an answer.
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void reply(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }
}
