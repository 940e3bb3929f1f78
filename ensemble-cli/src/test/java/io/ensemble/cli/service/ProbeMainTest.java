package io.ensemble.cli.service;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeMainTest {

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @ParameterizedTest
  @ValueSource(ints = {200, 503})
  void aRestServiceIsAskedWhetherItIsReady(int status) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext(
        "/health/ready",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    try {
      assertThat(exitCode("http://127.0.0.1:" + server.getAddress().getPort()))
          .isEqualTo(status == 200 ? 0 : 1);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aProxyIsAskedByAWord() throws Exception {
    String address;
    try (ServerSocket server = new ServerSocket(0, 9, HERE)) {
      address = "zk://127.0.0.1:" + server.getLocalPort();
      Thread proxy =
          new Thread(
              () -> {
                try (Socket connection = server.accept()) {
                  connection.getInputStream().readNBytes(4);
                  connection.getOutputStream().write("imok".getBytes(US_ASCII));
                } catch (IOException e) {
                  // The probe reports it.
                }
              });
      proxy.start();

      assertThat(exitCode(address)).isZero();
      proxy.join();
    }
    assertThat(exitCode(address)).as("after its end").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "127.0.0.1:7460", "ftp://127.0.0.1:7460", "http://127.0.0.1"})
  void anotherAddressIsAMistake(String address) {
    assertThat(exitCode(address)).isEqualTo(2);
    assertThat(errors.toString(UTF_8)).endsWith("; got " + address + System.lineSeparator());
  }

  @Test
  void oneAddressIsNeeded() {
    assertThat(exitCode()).isEqualTo(2);
    assertThat(exitCode("http://127.0.0.1:1", "http://127.0.0.1:2")).isEqualTo(2);
  }

  private int exitCode(String... arguments) {
    return ProbeMain.exitCode(new PrintStream(errors, true, UTF_8), arguments);
  }
}
