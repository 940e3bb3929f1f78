package io.ensemble.catalog;

import java.util.Collection;
import java.util.List;

/**
 * A cache is at sites that this process does not know, so it cannot be used here. Nothing was done.
 * The message names all sites that it knows; who answers others decides whether they may know.
 */
public final class SitesNotKnownHereException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> wanted;

  /**
   * @param wanted the cache's sites, or the one that is not known
   */
  public SitesNotKnownHereException(String message, Collection<String> wanted) {
    super(message);
    this.wanted = List.copyOf(wanted);
  }

  /** The cache's sites, or the one that is not known. */
  public List<String> wanted() {
    return wanted;
  }
}
