package io.ensemble.catalog.definition;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.record.CatalogException;

/** A distributed cache of that name exists with other settings. Nothing was changed. */
public final class DistributionExistsException extends CatalogException {

  private static final long serialVersionUID = 1L;

  private final transient DistributedDefinition existing;

  /**
   * @param existing the existing definition
   * @param wanted the requested definition
   */
  public DistributionExistsException(DistributedDefinition existing, DistributedDefinition wanted) {
    super(
        Reason.EXISTS,
        "the distributed cache exists with other settings (existing, requested); cache=%s %s"
            .formatted(existing.name(), existing.differences(wanted)));
    this.existing = existing;
  }

  /** The existing definition. */
  public DistributedDefinition existing() {
    return existing;
  }
}
