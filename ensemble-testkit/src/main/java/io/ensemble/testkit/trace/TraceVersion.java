package io.ensemble.testkit.trace;

import java.util.Optional;

/**
 * One version of one key.
 *
 * @param version a number above those of the same key that come before
 * @param value must not be changed; empty if the key was removed with this version
 */
public record TraceVersion(String key, long version, Optional<byte[]> value) {

  static TraceVersion removed(String key, long version) {
    return new TraceVersion(key, version, Optional.empty());
  }
}
