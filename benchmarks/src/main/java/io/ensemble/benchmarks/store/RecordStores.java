package io.ensemble.benchmarks.store;

/** Where stores come from. */
public final class RecordStores {

  private RecordStores() {}

  /**
   * Opens the store, and creates its cache if it is not there.
   *
   * @throws RuntimeException saying what could not be reached; nothing stays open
   */
  public static RecordStore open(StoreSettings settings) {
    return settings.mode() == StoreMode.RAW
        ? PlainRecords.open(settings)
        : EnsembleRecords.open(settings);
  }
}
