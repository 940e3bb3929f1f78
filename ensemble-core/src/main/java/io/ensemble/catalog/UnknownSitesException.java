package io.ensemble.catalog;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Sites are named that there are not. Nothing was done. The message names all that there are; who
 * answers others decides whether they may know.
 */
public final class UnknownSitesException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient SortedSet<String> unknown;
  private final transient SortedSet<String> known;

  /**
   * @param unknown what was named
   * @param known what there is
   */
  public UnknownSitesException(String message, Set<String> unknown, Set<String> known) {
    super(message);
    this.unknown = new TreeSet<>(unknown);
    this.known = new TreeSet<>(known);
  }

  /** Which sites there are not, of those that were named. */
  public SortedSet<String> unknown() {
    return new TreeSet<>(unknown);
  }

  /** Which sites there are. */
  public SortedSet<String> known() {
    return new TreeSet<>(known);
  }
}
