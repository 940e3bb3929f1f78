package io.ensemble.catalog;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A request names sites that do not exist. Nothing was done. The message names all existing sites;
 * a server that shows it to its clients must decide whether they may see these names.
 */
public final class UnknownSitesException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient SortedSet<String> unknown;
  private final transient SortedSet<String> known;

  /**
   * @param unknown the unknown ones of the named sites
   * @param known the existing sites
   */
  public UnknownSitesException(String message, Set<String> unknown, Set<String> known) {
    super(message);
    this.unknown = new TreeSet<>(unknown);
    this.known = new TreeSet<>(known);
  }

  /** The unknown ones of the named sites. */
  public SortedSet<String> unknown() {
    return new TreeSet<>(unknown);
  }

  /** The existing sites. */
  public SortedSet<String> known() {
    return new TreeSet<>(known);
  }
}
