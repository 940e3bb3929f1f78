package io.ensemble.testkit.truth;

import io.ensemble.site.Bytes;
import java.util.Optional;

/** A client of a cache. Calls block, and fail with any {@link RuntimeException}. Thread-safe. */
interface CasClient {

  /** A value and its entry version. */
  record Found(ChainValue step, long version) {}

  Optional<Found> read(Bytes key);

  boolean putIfAbsent(Bytes key, ChainValue step);

  boolean replace(Bytes key, long version, ChainValue step);
}
