package io.ensemble.rest.resource.context;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Encoded addresses of resources. */
public final class ResourceLinks {

  private ResourceLinks() {}

  public static String site(String name) {
    return "/sites/" + segment(name);
  }

  public static String cache(String name) {
    return "/caches/" + segment(name);
  }

  /** The next page of the list of caches, as the value of a Link header. */
  public static String nextCaches(int limit, String cursor) {
    return "</caches?limit=%d&cursor=%s>; rel=\"next\"".formatted(limit, segment(cursor));
  }

  public static String entry(String cache, String key) {
    return cache(cache) + "/entries/" + segment(key);
  }

  public static String operation(String id) {
    return "/operations/" + segment(id);
  }

  /**
   * Encodes a path segment. The result is never {@code .} or {@code ..}, which a client would
   * resolve.
   */
  public static String segment(String text) {
    if (text.equals(".") || text.equals("..")) {
      return text.replace(".", "%2E");
    }
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
