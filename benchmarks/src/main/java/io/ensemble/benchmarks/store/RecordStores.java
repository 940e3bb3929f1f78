package io.ensemble.benchmarks.store;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;

/** Opens stores. */
public final class RecordStores {

  private RecordStores() {}

  /**
   * Opens the store, and creates its cache if it does not exist. While a site does not answer, the
   * attempt is repeated until the settings' connect deadline.
   *
   * @throws RuntimeException if a site could not be reached, with its name; no connection stays
   *     open
   */
  public static RecordStore open(StoreSettings settings) {
    return new ConnectionAttempts(settings.connectDeadline())
        .connect(
            () ->
                settings.mode() == StoreMode.RAW
                    ? PlainRecords.open(settings)
                    : EnsembleRecords.open(settings));
  }

  /** The store over an open cache; {@link RecordStore#close} closes {@code manager}. */
  public static RecordStore over(
      EnsembleCacheManager manager, EnsembleCache<String, byte[]> cache) {
    return new EnsembleRecords(manager, cache);
  }
}
