package io.ensemble.rest.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A local identity provider over TLS, with its discovery document and keys at the paths of
 * Keycloak. It counts requests.
 */
final class Issuer implements AutoCloseable {

  static final CertificateAuthority AUTHORITY =
      CertificateAuthority.create("issuers", Duration.ofDays(1));
  static final List<String> NAMES = List.of("localhost", "127.0.0.1");
  static final String REALM = "/realms/shop";
  static final String DISCOVERY = REALM + "/.well-known/openid-configuration";
  static final String KEYS = REALM + "/protocol/openid-connect/certs";

  private final HttpsServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, HttpHandler> answers = new ConcurrentHashMap<>();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();

  /** By path: a client may send its next request before the end of the last one is counted. */
  private final Map<String, Integer> atOnce = new ConcurrentHashMap<>();

  private final AtomicInteger mostAtOnce = new AtomicInteger();

  /** Starts an issuer with a certificate of {@link #AUTHORITY}. */
  static Issuer start(int port) throws IOException {
    return new Issuer(port, AUTHORITY.server("issuer", NAMES));
  }

  /**
   * @param port 0 for any
   */
  Issuer(int port, TlsIdentity identity) throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(identity.context(null)));
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    begin();
  }

  /** Resets the answers and the counts by path. */
  void begin() {
    asked.clear();
    answers.clear();
    answers(DISCOVERY, text(200, document(name(), address(KEYS))));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.merge(path, 1, Integer::sum);
    mostAtOnce.accumulateAndGet(atOnce.merge(path, 1, Integer::sum), Math::max);
    try (exchange) {
      answers.getOrDefault(path, text(404, "")).handle(exchange);
    } finally {
      atOnce.merge(path, -1, Integer::sum);
    }
  }

  static HttpHandler text(int status, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  /** Redirects to another address; the body is what a client would want from there. */
  static HttpHandler redirect(int status, String to, String body) {
    return exchange -> {
      exchange.getResponseHeaders().add("Location", to);
      text(status, body).handle(exchange);
    };
  }

  static String document(String issuer, String keys) {
    return "{\"issuer\": \"%s\", \"jwks_uri\": \"%s\", \"mtls_endpoint_aliases\": {\"a\": [1]}}"
        .formatted(issuer, keys);
  }

  static String set(JWK... keys) {
    return new JWKSet(List.of(keys)).toString(true);
  }

  Issuer answers(String path, HttpHandler how) {
    answers.put(path, how);
    return this;
  }

  /** Publishes these keys from now on, and no others. */
  Issuer has(JWK... keys) {
    return answers(KEYS, text(200, set(keys)));
  }

  /** The name in {@code iss}. */
  String name() {
    return address(REALM);
  }

  String address(String path) {
    return "https://127.0.0.1:%d%s".formatted(port(), path);
  }

  int port() {
    return server.getAddress().getPort();
  }

  int asked(String path) {
    return asked.getOrDefault(path, 0);
  }

  /** The largest number of concurrent requests to one path. */
  int mostAtOnce() {
    return mostAtOnce.get();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
