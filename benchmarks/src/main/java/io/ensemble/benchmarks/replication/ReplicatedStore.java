package io.ensemble.benchmarks.replication;

import org.jspecify.annotations.Nullable;

/** A way to keep values at several sites, seen by its caller. Thread-safe. */
interface ReplicatedStore extends AutoCloseable {

  /** The value of a key; null when there is none. Waits. */
  byte @Nullable [] read(String key);

  /** Stores a value whatever was there. Waits. */
  void write(String key, byte[] value);

  /** Returns when what writes have left to do in the background is done. */
  void settle();

  /** Removes what it keeps. */
  @Override
  void close();
}
