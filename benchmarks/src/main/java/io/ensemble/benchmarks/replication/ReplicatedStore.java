package io.ensemble.benchmarks.replication;

import org.jspecify.annotations.Nullable;

/** A scheme that replicates values to several sites, as its caller sees it. Thread-safe. */
interface ReplicatedStore extends AutoCloseable {

  /** The value of a key; null when there is none. Blocks. */
  byte @Nullable [] read(String key);

  /** Stores a value unconditionally. Blocks. */
  void write(String key, byte[] value);

  /** Returns when the background work of writes has ended. */
  void settle();

  /** Removes its data. */
  @Override
  void close();
}
