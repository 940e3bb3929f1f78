package io.ensemble.rest.http;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request without its body.
 *
 * @param method as it came, HEAD included
 * @param path parameters of the path, decoded
 * @param query parameters of the query, decoded; of one that came twice the values in their order
 * @param headers by their names in lower case
 * @param secure whether it came over TLS
 * @param remote where from
 * @param certificates of the client, its own first; empty unless it showed some
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

  /** A parameter of the path; every route names its own. */
  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new AssertionError("a route names the parameters of its path; " + name);
    }
    return value;
  }

  /** A header, the values of several joined by commas; empty when it did not come. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)))
        .map(values -> String.join(", ", values));
  }

  /**
   * A parameter of the query; empty when it did not come.
   *
   * @throws ProblemException if it came twice
   */
  public Optional<String> query(String name) {
    List<String> values = query.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw Problem.invalid(name, "one value", values.size() + " values");
    }
    return values.stream().findFirst();
  }

  /** Whether only the head of the answer is wanted. */
  public boolean isHead() {
    return method.equals("HEAD");
  }
}
