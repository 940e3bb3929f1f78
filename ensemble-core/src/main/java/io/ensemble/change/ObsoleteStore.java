package io.ensemble.change;

/**
 * A store that no cache uses any more and that is to be removed.
 *
 * @param site the site that holds it
 * @param store its name, which no other store ever has
 */
public record ObsoleteStore(String site, String store) implements Comparable<ObsoleteStore> {

  @Override
  public int compareTo(ObsoleteStore other) {
    int sites = site.compareTo(other.site);
    return sites == 0 ? store.compareTo(other.store) : sites;
  }
}
