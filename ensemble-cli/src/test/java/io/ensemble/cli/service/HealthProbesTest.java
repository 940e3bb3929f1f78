package io.ensemble.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
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
