package io.ensemble.rest.jetty;

import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;

/**
 * Headers that keep a browser from executing, embedding or caching a response. They are required
 * because an entry is served with the media type chosen by its writer, from the console's origin. A
 * route that sets such a header itself, as the console does, keeps its own value.
 */
final class SecurityHeaders {

  private static final List<Map.Entry<String, String>> UNLESS_SAID =
      List.of(
          Map.entry("Cache-Control", "no-store"),
          Map.entry(
              "Content-Security-Policy",
              "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
                  + " sandbox"),
          Map.entry("Cross-Origin-Resource-Policy", "same-origin"),
          Map.entry("Referrer-Policy", "no-referrer"),
          Map.entry("X-Content-Type-Options", "nosniff"));

  private SecurityHeaders() {}

  static void complete(HttpFields.Mutable headers) {
    for (Map.Entry<String, String> header : UNLESS_SAID) {
      if (!headers.contains(header.getKey())) {
        headers.put(header.getKey(), header.getValue());
      }
    }
  }
}
