package io.ensemble.benchmarks.store;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;

/** Where stores come from. */
public final class RecordStores {

  private RecordStores() {}

  /**
   * Opens the store, and creates its cache if it is not there. While a site does not answer, the
   * attempt is repeated until the settings' connect deadline.
   *
   * @throws RuntimeException saying what could not be reached; nothing stays open
   */
  public static RecordStore open(StoreSettings settings) {
    return new ConnectionAttempts(settings.connectDeadline())
        .connect(
            () ->
                settings.mode() == StoreMode.RAW
                    ? PlainRecords.open(settings)
                    : EnsembleRecords.open(settings));
  }

  /** The store over a cache that is open; closing it closes {@code manager}. */
  public static RecordStore over(
      EnsembleCacheManager manager, EnsembleCache<String, byte[]> cache) {
    return new EnsembleRecords(manager, cache);
  }
}
