package io.ensemble.catalog;

import java.util.Collection;
import java.util.List;

/**
 * A cache is at sites that this process does not know, so it cannot be used here. Nothing was done.
 * The message names all known sites; a server that shows it to its clients must decide whether they
 * may see these names.
 */
public final class SitesNotKnownHereException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> wanted;

  /**
   * @param wanted the cache's sites, or the unknown one
   */
  public SitesNotKnownHereException(String message, Collection<String> wanted) {
    super(message);
    this.wanted = List.copyOf(wanted);
  }

  /** The cache's sites, or the unknown one. */
  public List<String> wanted() {
    return wanted;
  }
}
