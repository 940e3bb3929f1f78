package io.ensemble.cli.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServiceStateTest {

  private HttpServer service;
  private String address;

  @BeforeEach
  void start() throws IOException {
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.start();
    address = "http://127.0.0.1:" + service.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    service.stop(0);
  }

  private String get(Duration longest) throws IOException {
    return ServiceState.get(address, "/x", null, longest, 4);
  }

  private void answer(String body, long length) {
    service.createContext(
        "/x",
        exchange -> {
          exchange.sendResponseHeaders(200, length);
          exchange.getResponseBody().write(body.getBytes(UTF_8));
          exchange.getResponseBody().flush(); // The exchange stays open if the length is greater.
        });
  }

  @Test
  void anAnswerThatDoesNotEndIsGivenUp() {
    answer("ab", 4);

    assertThatThrownBy(() -> get(Duration.ofSeconds(2)))
        .isInstanceOf(IOException.class)
        .hasMessage("/x has no complete answer within 2000 ms");
  }

  @Test
  void anAnswerHasALargestSize() throws IOException {
    answer("abcde", 5);

    assertThatThrownBy(() -> get(Duration.ofSeconds(30)))
        .hasMessage("/x answers with more than 4 bytes");
  }

  @Test
  void aWholeAnswerIsReturned() throws IOException {
    answer("abcd", 4);

    assertThat(get(Duration.ofSeconds(30))).isEqualTo("abcd");
  }
}
