package io.ensemble.near;

import io.ensemble.cache.Payload;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a key had at some time after the moment that is recorded here.
 *
 * @param value null if the key was absent
 * @param asOf the moment, before the read or write that returned this value began
 */
record NearEntry(@Nullable Payload value, NearTime asOf) {

  /** What an entry takes beside its key and its value: an estimate. */
  private static final int OVERHEAD_BYTES = 160;

  /** Whether the value is {@code other}; null stands for absence. */
  boolean hasValue(@Nullable Payload other) {
    return Objects.equals(value, other);
  }

  /** The memory that the entry takes, in bytes. */
  int bytes(int keyBytes) {
    return OVERHEAD_BYTES + keyBytes + (value == null ? 0 : value.value().size());
  }
}
