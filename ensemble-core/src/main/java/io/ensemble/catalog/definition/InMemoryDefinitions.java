package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.InMemoryRecords;

/**
 * A catalog for the managers of one JVM, which share the object. The catalog ends with the JVM.
 * Stores of caches that were not deleted then stay at their sites, and no other catalog removes
 * them.
 */
public final class InMemoryDefinitions extends RecordDefinitions {

  /** Creates an empty catalog. */
  public InMemoryDefinitions() {
    super(new InMemoryRecords());
  }
}
