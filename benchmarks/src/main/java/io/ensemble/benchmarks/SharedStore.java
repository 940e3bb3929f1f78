package io.ensemble.benchmarks;

import io.ensemble.benchmarks.store.RecordStore;
import io.ensemble.benchmarks.store.RecordStores;
import io.ensemble.benchmarks.store.StoreSettings;
import org.jspecify.annotations.Nullable;

/**
 * The one client that all of YCSB's threads use. YCSB makes a binding for every thread, but an
 * application has one client. The first acquisition opens it, the last release closes it.
 * Thread-safe.
 */
final class SharedStore {

  private static @Nullable SharedStore sharedStore;

  private final StoreSettings settings;
  private final RecordStore store;
  private final FailureLog failures = new FailureLog();
  private int users;

  private SharedStore(StoreSettings settings) {
    this.settings = settings;
    this.store = RecordStores.open(settings);
  }

  /**
   * Acquires the client.
   *
   * @throws IllegalStateException if it is in use with other settings
   * @throws RuntimeException if it cannot be opened; it is then not acquired
   */
  static synchronized SharedStore acquire(StoreSettings settings) {
    SharedStore shared = sharedStore;
    if (shared == null) {
      shared = new SharedStore(settings);
      sharedStore = shared;
    } else if (!shared.settings.cache().equals(settings.cache())
        || shared.settings.mode() != settings.mode()) {
      throw new IllegalStateException(
          "one client at a time; open=%s %s requested=%s %s"
              .formatted(
                  shared.settings.mode(),
                  shared.settings.cache(),
                  settings.mode(),
                  settings.cache()));
    }
    shared.users++;
    return shared;
  }

  /** Releases the client. */
  void release() {
    synchronized (SharedStore.class) {
      if (--users > 0) {
        return;
      }
      sharedStore = null;
    }
    store.close();
  }

  RecordStore store() {
    return store;
  }

  FailureLog failures() {
    return failures;
  }
}
