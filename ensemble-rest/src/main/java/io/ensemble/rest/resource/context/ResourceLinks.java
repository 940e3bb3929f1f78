package io.ensemble.rest.resource.context;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Addresses of things, encoded. */
public final class ResourceLinks {

  private ResourceLinks() {}

  public static String site(String name) {
    return "/sites/" + segment(name);
  }

  public static String cache(String name) {
    return "/caches/" + segment(name);
  }

  public static String entry(String cache, String key) {
    return cache(cache) + "/entries/" + segment(key);
  }

  public static String operation(String id) {
    return "/operations/" + segment(id);
  }

  /** One that no client takes for a step up, whatever it is. */
  public static String segment(String text) {
    if (text.equals(".") || text.equals("..")) {
      return text.replace(".", "%2E");
    }
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
