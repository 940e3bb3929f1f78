package io.ensemble.testkit.truth;

import io.ensemble.site.Bytes;
import java.util.Optional;

/** A way to a cache. Calls block, and fail with any {@link RuntimeException}. Thread-safe. */
interface CasClient {

  /** What was found, and what the site calls it. */
  record Found(ChainValue step, long version) {}

  Optional<Found> read(Bytes key);

  boolean putIfAbsent(Bytes key, ChainValue step);

  boolean replace(Bytes key, long version, ChainValue step);
}
