package io.ensemble.rest.http;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request without its body.
 *
 * @param method the method in its original form, HEAD included
 * @param path parameters of the path, decoded
 * @param query parameters of the query, decoded; a repeated parameter has several values in their
 *     order
 * @param headers by their names in lower case
 * @param secure whether the request arrived over TLS
 * @param remote the address of the client
 * @param certificates the certificates of the client, its own first; empty if the client presented
 *     none
 */
public record RequestHead(
    String method,
    String target,
    Map<String, String> path,
    Map<String, List<String>> query,
    Map<String, List<String>> headers,
    boolean secure,
    String remote,
    List<X509Certificate> certificates) {

  /** A parameter of the path, which the route's template names. */
  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new AssertionError("a route must declare the parameters of its path; " + name);
    }
    return value;
  }

  /** A header, with several values joined by commas; empty when absent. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)))
        .map(values -> String.join(", ", values));
  }

  /**
   * A parameter of the query; empty when absent.
   *
   * @throws ProblemException if the parameter is repeated
   */
  public Optional<String> query(String name) {
    List<String> values = query.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw Problem.invalid(name, "one value", values.size() + " values");
    }
    return values.stream().findFirst();
  }

  /** Whether the request is for the head of the response only. */
  public boolean isHead() {
    return method.equals("HEAD");
  }
}
