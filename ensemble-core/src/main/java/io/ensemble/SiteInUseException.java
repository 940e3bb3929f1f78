package io.ensemble;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A site cannot go, for caches are there. Nothing was done; drain the site first. */
public final class SiteInUseException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String site;
  private final transient List<String> caches;
  private final transient List<String> only;
  private final transient Map<String, String> reasons;

  /**
   * @param why in a few words
   * @param caches those that are at the site
   * @param only those of them of which no other site has a store
   * @param reasons of those that can go nowhere, what each wanted and what there is
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
                    .map(name -> "; cache %s %s".formatted(name, reasons.get(name)))
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

  /** The caches that are there. */
  public List<String> caches() {
    return caches;
  }

  /** Of each cache that can go nowhere what it wanted, and what there is; else empty. */
  public Map<String, String> reasons() {
    return reasons;
  }

  /** Those of them of which no other site has a store. */
  public List<String> only() {
    return only;
  }
}
