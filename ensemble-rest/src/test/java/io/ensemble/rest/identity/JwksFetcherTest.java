package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class JwksFetcherTest {

  private final CountDownLatch gone = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @AfterEach
  void stop() {
    end.countDown();
    if (server != null) {
      server.stop(0);
    }
    threads.shutdownNow();
  }

  private static JwksFetcher keys(boolean clearTextHere) {
    return new JwksFetcher(clearTextHere, Optional.empty());
  }

  private URI at(HttpHandler handler) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", handler);
    server.start();
    return URI.create("http://127.0.0.1:%d/keys".formatted(server.getAddress().getPort()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:1/k", "http://localhost/k", "http://[::1]/k"})
  void keysComeInClearTextFromThisMachineByAnExplicitWordOnly(String address) {
    URI here = URI.create(address);

    assertThat(keys(true).requireSafe(here)).isEqualTo(here);
    assertThatThrownBy(() -> keys(false).requireSafe(here))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("clearTextKeys");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://login.example/k",
        "http://127.0.0.1.login.example/k",
        "http://127.0.0.1@login.example/k",
        "ftp://127.0.0.1/k",
        "file:///etc/keys",
        "//login.example/k",
        "/k",
        ""
      })
  void fromElsewhereTheyComeOverTlsWhateverTheWord(String address) {
    URI there = URI.create("https://login.example/k");

    assertThat(keys(false).requireSafe(there)).isEqualTo(there);
    assertThatThrownBy(() -> keys(true).requireSafe(URI.create(address)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAnswerThatDoesNotBeginIsNotWaitedFor() throws Exception {
    URI silent = at(exchange -> awaitEnd());
    JwksFetcher hasty = new JwksFetcher(true, Optional.empty(), Duration.ofMillis(200));

    assertThatThrownBy(() -> hasty.fetchKeys(silent))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("TimeoutException");
    assertThat(end.getCount()).isOne(); // The address has not begun to answer.
  }

  @Test
  void anAnswerThatComesDropByDropIsNotWaitedForAndItsConnectionEnds() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    URI slow =
        at(
            exchange -> {
              asked.countDown();
              drops(exchange);
            });
    JwksFetcher hasty = new JwksFetcher(true, Optional.empty(), Duration.ofMillis(500));

    do { // Retries if the request was not even sent in time.
      assertThatThrownBy(() -> hasty.fetchKeys(slow))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("TimeoutException");
    } while (asked.getCount() > 0);
    assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whoeverIsInterruptedLeavesNoConnection() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    URI slow =
        at(
            exchange -> {
              asked.countDown();
              drops(exchange);
            });
    JwksFetcher patient = new JwksFetcher(true, Optional.empty(), Duration.ofMinutes(1));
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread waiting =
        new Thread(() -> ended.complete(catchThrowable(() -> patient.fetchKeys(slow))));
    waiting.start();
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();

    waiting.interrupt();

    assertThat(ended.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anAnswerWithoutEndIsCutOff() throws Exception {
    byte[] much = new byte[1 << 16];
    URI endless =
        at(
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              try (OutputStream out = exchange.getResponseBody()) {
                while (end.getCount() > 0) {
                  out.write(much);
                }
              } finally {
                gone.countDown();
              }
            });

    assertThatThrownBy(() -> keys(true).fetchKeys(endless))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than 262144 bytes");
    assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Answers slowly until the client is gone or the test ends. */
  private void drops(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      while (!endsWithinPause()) {
        out.write(' ');
        out.flush();
      }
    } finally {
      gone.countDown();
    }
  }

  private void awaitEnd() throws IOException {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Separates two bytes of a slow answer; true if the test has ended. */
  private boolean endsWithinPause() throws IOException {
    try {
      return end.await(20, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
