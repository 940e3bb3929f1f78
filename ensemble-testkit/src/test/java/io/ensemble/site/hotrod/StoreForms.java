package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;

/** The configurations that stores are created from, for tests that create them otherwise. */
public final class StoreForms {

  private StoreForms() {}

  public static String of(StoreKind kind, Storage storage) {
    return StoreXml.of(kind, storage, false);
  }
}
