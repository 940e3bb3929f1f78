package io.ensemble.migrate;

import io.ensemble.site.Site;
import java.util.Map;
import java.util.TreeSet;

/** Finds sites by their names. */
final class Sites {

  private Sites() {}

  /**
   * The site called {@code name}.
   *
   * @throws IllegalStateException if this process does not know it
   */
  static Site of(Map<String, Site> sites, String name) {
    Site site = sites.get(name);
    if (site == null) {
      throw new IllegalStateException(
          "this process does not know a site of the cache; wanted=%s known=%s"
              .formatted(name, new TreeSet<>(sites.keySet())));
    }
    return site;
  }
}
