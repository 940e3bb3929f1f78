package io.ensemble.rest.retries;

import java.util.ArrayList;
import java.util.List;

/**
 * A request that is sent once or many times, always the same.
 *
 * @param headers names and values, alternating
 */
record RepeatableRequest(
    String method, String path, String type, String body, List<String> headers) {

  /** A request with a JSON body. */
  static RepeatableRequest json(String method, String path, String body) {
    return new RepeatableRequest(method, path, "application/json", body, List.of());
  }

  /** A request without a body. */
  static RepeatableRequest bare(String method, String path) {
    return new RepeatableRequest(method, path, "", "", List.of());
  }

  /** A request with a text as its body. */
  static RepeatableRequest text(String method, String path, String body) {
    return new RepeatableRequest(method, path, "text/plain;charset=utf-8", body, List.of());
  }

  /** The same request with one more header. */
  RepeatableRequest with(String name, String value) {
    List<String> all = new ArrayList<>(headers);
    all.addAll(List.of(name, value));
    return new RepeatableRequest(method, path, type, body, all);
  }

  /** The same request with an idempotency key, so that its repetitions count once. */
  RepeatableRequest named(String key) {
    return with("Idempotency-Key", key);
  }

  /** Whether it is about a counter or a lock, whose calls are retried for long before they fail. */
  boolean isOfObject() {
    return path.contains("/counters/") || path.contains("/locks/");
  }

  List<String> allHeaders() {
    return type.isEmpty() ? headers : with("Content-Type", type).headers();
  }
}
