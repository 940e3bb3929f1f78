package io.ensemble.catalog.definition;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All caches of a catalog, by name, each as it was read once.
 *
 * @param caches the caches that are not distributed
 * @param distributed the distributed caches
 * @param unreadable the names of records that cannot be read, because they are damaged or of a
 *     later format, with the reasons
 */
public record Inventory(
    List<StoredDefinition> caches,
    List<StoredDistribution> distributed,
    SortedMap<String, String> unreadable) {

  public Inventory {
    caches = List.copyOf(caches);
    distributed = List.copyOf(distributed);
    unreadable = Collections.unmodifiableSortedMap(new TreeMap<>(unreadable));
  }
}
