package io.ensemble.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.keys.TrustStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A client for the health report of a node on this machine.
 *
 * @param port the node's REST port
 * @param tls the TLS context; null for clear text
 * @param authorization the authorization header of the user; null for none
 */
record NodeHealthClient(int port, @Nullable SSLContext tls, @Nullable String authorization) {

  private static final String BASE = "%s://127.0.0.1:%d/rest/v2/container/health";

  /** A client for a node of a site with these keys. */
  static NodeHealthClient at(int port, @Nullable SiteKeys keys) {
    if (keys == null) {
      return new NodeHealthClient(port, null, null);
    }
    char[] password = SiteKeys.read(keys.trustPassword()).toCharArray();
    SSLContext tls =
        keys.certificates()
            ? TrustStore.context(keys.trust(), keys.client(), password)
            : TrustStore.context(keys.trust(), password);
    if (!keys.users()) {
      return new NodeHealthClient(port, tls, null);
    }
    String user = SiteKeys.WATCH + ":" + SiteKeys.read(keys.password(SiteKeys.WATCH));
    String token = Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
    return new NodeHealthClient(port, tls, "Basic " + token);
  }

  /** Whether the node has started and is healthy. */
  boolean isHealthy(int millis) {
    return read("/status", millis).filter(NodeHealth.HEALTHY::equals).isPresent();
  }

  /** The report of the node within {@code millis}; empty if there is none or it is malformed. */
  Optional<NodeHealth> health(int millis) {
    return read("", millis).flatMap(NodeHealth::parsed);
  }

  private Optional<String> read(String what, int millis) {
    HttpURLConnection connection = null;
    try {
      String address = BASE.formatted(tls == null ? "http" : "https", port) + what;
      connection = (HttpURLConnection) new URL(address).openConnection();
      if (tls != null && connection instanceof HttpsURLConnection secured) {
        secured.setSSLSocketFactory(tls.getSocketFactory());
      }
      if (authorization != null) {
        connection.setRequestProperty("Authorization", authorization);
      }
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        return Optional.empty();
      }
      try (InputStream in = connection.getInputStream()) {
        return Optional.of(new String(in.readAllBytes(), UTF_8).strip());
      }
    } catch (IOException silent) {
      return Optional.empty();
    } finally {
      if (connection != null) {
        connection.disconnect();
      }
    }
  }

  @Override
  public String toString() {
    return "NodeHealthClient[port=" + port + "]";
  }
}
