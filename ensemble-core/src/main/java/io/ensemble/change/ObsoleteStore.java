package io.ensemble.change;

/**
 * A store that nobody uses any more and that is to be removed.
 *
 * @param site where it is
 * @param store its name, which no other store ever has
 */
public record ObsoleteStore(String site, String store) implements Comparable<ObsoleteStore> {

  @Override
  public int compareTo(ObsoleteStore other) {
    int sites = site.compareTo(other.site);
    return sites == 0 ? store.compareTo(other.store) : sites;
  }
}
