package io.ensemble;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A site cannot be removed, because caches are there. Nothing was done; drain the site first. */
public final class SiteInUseException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String site;
  private final transient List<String> caches;
  private final transient List<String> only;
  private final transient Map<String, String> reasons;

  /**
   * @param why in a few words
   * @param caches those that are at the site
   * @param only those of them that have a store at no other site
   * @param reasons for each cache that cannot be moved, the sites that it requires and those that
   *     exist
   */
  public SiteInUseException(
      String site,
      String why,
      List<String> caches,
      List<String> only,
      Map<String, String> reasons) {
    super(
        "%s; site=%s caches=%s%s"
            .formatted(
                why,
                site,
                caches.stream()
                    .map(name -> only.contains(name) ? name + " (only copy)" : name)
                    .collect(Collectors.joining(", ")),
                caches.stream()
                    .filter(reasons::containsKey)
                    .map(name -> "; cache %s: %s".formatted(name, reasons.get(name)))
                    .collect(Collectors.joining())));
    this.site = site;
    this.caches = List.copyOf(caches);
    this.only = List.copyOf(only);
    this.reasons = Map.copyOf(reasons);
  }

  /** The site. */
  public String site() {
    return site;
  }

  /** The caches that are at the site. */
  public List<String> caches() {
    return caches;
  }

  /**
   * For each cache that cannot be moved, the sites that it requires and those that exist; otherwise
   * empty.
   */
  public Map<String, String> reasons() {
    return reasons;
  }

  /** Those of the caches that have a store at no other site. */
  public List<String> only() {
    return only;
  }
}
