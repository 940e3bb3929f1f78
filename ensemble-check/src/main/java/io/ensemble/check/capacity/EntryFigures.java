package io.ensemble.check.capacity;

import io.ensemble.Mode;

/**
 * Measured figures of one entry. Where they come from: docs/capacity.md.
 *
 * @param envelopeBytes what Ensemble adds to a value that one client has written
 * @param mostEnvelopeBytes the most that it adds: many writers, and a lifespan
 * @param clientBytes the heap of a client for each key that it has seen; negative if not measured
 * @param readTrips the round trips of a read
 * @param writeTrips the round trips of a write
 */
record EntryFigures(
    int envelopeBytes, int mostEnvelopeBytes, int clientBytes, int readTrips, int writeTrips) {

  /** One byte of each key, and of each value, says its type. */
  static final int TYPE_BYTES = 1;

  /** Heap of a server for a copy, beside key, value and envelope: objects, arrays, tables. */
  static final int HEAP_BYTES = 240;

  /** More heap for a copy that is also on disk: its place in the index. */
  static final int INDEX_HEAP_BYTES = 260;

  /** Bytes on disk for a copy, beside key, value and envelope. */
  static final int DISK_BYTES = 100;

  /** A client remembers at most so many keys. */
  static final long MOST_CLIENT_KEYS = 100_000;

  /** What frequently written keys may take in a client beside that. */
  static final long MOST_CLIENT_CELL_BYTES = 16 << 20;

  /**
   * Bytes of a request and its response beside key and value: Hot Rod's headers with the name of a
   * store, and the headers of TCP and IP. An estimate by the protocol; not measured.
   */
  static final int REQUEST_BYTES = 220;

  static EntryFigures of(Mode mode) {
    return switch (mode) {
      case WEAK -> new EntryFigures(28, 36, 0, 1, 1);
      case SWMR -> new EntryFigures(50, 58, -1, 1, 3);
      case MWMR -> new EntryFigures(35, 188, 204, 1, 2);
    };
  }
}
