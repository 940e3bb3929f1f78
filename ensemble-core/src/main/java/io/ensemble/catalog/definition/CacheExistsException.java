package io.ensemble.catalog.definition;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.record.CatalogException;

/** A cache of that name is there with other settings. Nothing was changed. */
public final class CacheExistsException extends CatalogException {

  private static final long serialVersionUID = 1L;

  private final transient CacheDefinition existing;

  /**
   * @param existing what is there
   * @param wanted what was asked for
   */
  public CacheExistsException(CacheDefinition existing, CacheDefinition wanted) {
    super(
        Reason.EXISTS,
        "the cache exists with other settings (there, wanted); cache=%s %s"
            .formatted(existing.name(), existing.differences(wanted)));
    this.existing = existing;
  }

  /** What is there. */
  public CacheDefinition existing() {
    return existing;
  }
}
