package io.ensemble.check.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stores at sites that no cache names, and stores that caches name and sites do not have. */
public final class StoreFindings {

  static final String CHECK = "stores";
  private static final String PAGE = "docs/operations.md#stores";
  private static final int MOST_SHOWN = 5;

  /** {@code CACHE.CONFIGURATION.BIRTH.INCARNATION}; a birth begins with the id of its catalog. */
  private static final Pattern STORE =
      Pattern.compile("(.+)\\.[0-9]+\\.([0-9a-f]{12})[0-9a-f]{12}\\.[0-9a-f]{8}([0-9a-f]{8})?");

  private StoreFindings() {}

  /**
   * The findings about a site.
   *
   * @param catalog the id of the catalog
   * @param stores the names of all caches of the site, those of other applications among them
   * @param needed the stores of caches that serve at this site
   * @param named the stores that the definitions of the catalog name at this site, those of changes
   *     and those that are to be removed among them
   * @param unreadable caches whose definitions cannot be read: their stores are not judged
   */
  public static List<Finding> of(
      String site,
      String catalog,
      Set<String> stores,
      Set<String> needed,
      Set<String> named,
      Set<String> unreadable) {
    Set<String> orphans = new TreeSet<>();
    Map<String, Integer> others = new TreeMap<>();
    int own = 0;
    for (String store : stores) {
      Matcher parts = STORE.matcher(store);
      if (!parts.matches()) {
        continue;
      }
      if (!parts.group(2).equals(catalog)) {
        others.merge(parts.group(2), 1, Integer::sum);
      } else if (named.contains(store) || needed.contains(store)) {
        own++;
      } else if (!unreadable.contains(parts.group(1))) {
        orphans.add(store);
      }
    }
    Set<String> missing = new TreeSet<>(needed);
    missing.removeAll(stores);
    List<Finding> findings = new ArrayList<>();
    if (!orphans.isEmpty()) {
      findings.add(
          Finding.warning(
              CHECK,
              site,
              "%d stores that no cache names: %s".formatted(orphans.size(), some(orphans)),
              "run doctor again after a minute; remove stores that are still named; see " + PAGE));
    }
    if (!missing.isEmpty()) {
      findings.add(
          Finding.error(
              CHECK,
              site,
              "%d stores of caches do not exist: %s".formatted(missing.size(), some(missing)),
              "./ensemble sites recover %s; see %s".formatted(site, PAGE)));
    }
    others.forEach(
        (id, number) ->
            findings.add(
                Finding.warning(
                    OwnerFindings.CHECK,
                    site,
                    "%d stores of an unknown catalog, id %s".formatted(number, id),
                    "run doctor with the catalog that owns them; see " + PAGE)));
    if (orphans.isEmpty() && missing.isEmpty()) {
      findings.add(Finding.ok(CHECK, site, "%d stores, each of a cache".formatted(own)));
    }
    return findings;
  }

  private static String some(Set<String> names) {
    List<String> shown = names.stream().limit(MOST_SHOWN).toList();
    return String.join(", ", shown) + (names.size() > MOST_SHOWN ? ", …" : "");
  }
}
