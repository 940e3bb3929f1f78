package io.ensemble.catalog.definition;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.record.CatalogException;

/** A cache of that name exists with other settings. Nothing was changed. */
public final class CacheExistsException extends CatalogException {

  private static final long serialVersionUID = 1L;

  private final transient CacheDefinition existing;

  /**
   * @param existing the existing definition
   * @param wanted the requested definition
   */
  public CacheExistsException(CacheDefinition existing, CacheDefinition wanted) {
    super(
        Reason.EXISTS,
        "the cache exists with other settings (existing, requested); cache=%s %s"
            .formatted(existing.name(), existing.differences(wanted)));
    this.existing = existing;
  }

  /** The existing definition. */
  public CacheDefinition existing() {
    return existing;
  }
}
