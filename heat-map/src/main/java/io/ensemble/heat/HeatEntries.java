package io.ensemble.heat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The entries that processes share to publish windows. Methods block. Thread-safe. */
interface HeatEntries {

  /** Writes an entry; after a failure it was perhaps written, and the call may be repeated. */
  void put(String key, byte[] value, Duration lifespan);

  /**
   * Replaces an entry that lists processes, or creates it from null. The entry then has the result
   * of this change and those of concurrent ones.
   */
  void change(String key, UnaryOperator<byte @Nullable []> change, Duration lifespan);

  /** The windows of these keys that exist. */
  Map<String, byte[]> getAll(Set<String> keys);

  /** The entries of these keys that list processes, as far as they exist. */
  Map<String, byte[]> getLists(Set<String> keys);
}
