package io.ensemble.catalog.definition;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.record.CatalogException;

/** A distributed cache of that name is there with other settings. Nothing was changed. */
public final class DistributionExistsException extends CatalogException {

  private static final long serialVersionUID = 1L;

  private final transient DistributedDefinition existing;

  /**
   * @param existing what is there
   * @param wanted what was asked for
   */
  public DistributionExistsException(DistributedDefinition existing, DistributedDefinition wanted) {
    super(
        Reason.EXISTS,
        "the distributed cache exists with other settings (there, wanted); cache=%s %s"
            .formatted(existing.name(), existing.differences(wanted)));
    this.existing = existing;
  }

  /** What is there. */
  public DistributedDefinition existing() {
    return existing;
  }
}
