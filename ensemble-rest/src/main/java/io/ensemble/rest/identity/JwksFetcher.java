package io.ensemble.rest.identity;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.json.StrictJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * Fetches keys over HTTP, from their address, or from the issuer's by OpenID Connect Discovery. The
 * fetcher uses TLS. Clear text is possible from this machine only, and by an explicit setting.
 * While the provider is down, any process that takes its port could sign for all callers. The
 * fetcher follows no redirect, and bounds time and size.
 */
public final class JwksFetcher {

  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final int LARGEST_BYTES = 256 << 10;
  private static final Set<String> HERE = Set.of("127.0.0.1", "localhost", "[::1]");

  private final boolean allowsLoopbackClearText;
  private final Duration timeout;
  private final HttpClient client;

  /**
   * @param allowsLoopbackClearText whether keys may be fetched over http from this machine
   * @param tls the TLS context with the accepted authorities; empty for Java's default
   */
  public JwksFetcher(boolean allowsLoopbackClearText, Optional<SSLContext> tls) {
    this(allowsLoopbackClearText, tls, LONGEST);
  }

  /**
   * A fetcher with another bound.
   *
   * @param timeout the maximum time until a response begins; twice that for all of it
   */
  JwksFetcher(boolean allowsLoopbackClearText, Optional<SSLContext> tls, Duration timeout) {
    this.allowsLoopbackClearText = allowsLoopbackClearText;
    this.timeout = timeout;
    HttpClient.Builder builder =
        HttpClient.newBuilder().connectTimeout(timeout).followRedirects(HttpClient.Redirect.NEVER);
    tls.ifPresent(builder::sslContext);
    this.client = builder.build();
  }

  /** The key set at an address. */
  public byte[] fetchKeys(URI address) throws IOException, InterruptedException {
    return fetch(requireSafe(address));
  }

  /**
   * The key set of an issuer.
   *
   * @throws IOException if the published issuer is another one
   */
  public byte[] fetchKeysOfIssuer(String issuer) throws IOException, InterruptedException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    JsonNode configuration;
    try {
      configuration =
          StrictJson.parse(
              fetch(requireSafe(URI.create(base + "/.well-known/openid-configuration"))));
    } catch (IllegalArgumentException e) {
      throw new IOException("the issuer is not a URL; issuer=" + issuer, e);
    }
    if (!issuer.equals(configuration.path("issuer").asText())) {
      throw new IOException("the configuration belongs to another issuer; issuer=" + issuer);
    }
    return fetchKeys(URI.create(configuration.path("jwks_uri").asText()));
  }

  /**
   * @throws IllegalArgumentException if keys from the address would not be safe
   */
  public URI requireSafe(URI address) {
    boolean isAllowedLoopback =
        allowsLoopbackClearText && address.getHost() != null && HERE.contains(address.getHost());
    if (address.getHost() == null
        || !("https".equals(address.getScheme())
            || ("http".equals(address.getScheme()) && isAllowedLoopback))) {
      throw new IllegalArgumentException(
          "signing keys require https, or a loopback address with \"clearTextKeys\": true; address="
              + address);
    }
    return address;
  }

  private byte[] fetch(URI address) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(timeout)
            .header("Accept", "application/json")
            .build();
    CompletableFuture<HttpResponse<byte[]>> pending =
        client.sendAsync(request, head -> new BoundedBodySubscriber(LARGEST_BYTES));
    try {
      HttpResponse<byte[]> response = pending.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != 200) {
        throw new IOException("status %d from %s".formatted(response.statusCode(), address));
      }
      return response.body();
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("cannot fetch %s: %s".formatted(address, cause), cause);
    } finally {
      pending.cancel(true); // Also after an interrupt: a response may be endless.
    }
  }
}
