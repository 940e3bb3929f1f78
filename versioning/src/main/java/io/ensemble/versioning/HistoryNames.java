package io.ensemble.versioning;

import java.util.Base64;
import java.util.Objects;

/**
 * The names under which the histories of keys are stored.
 *
 * @param cache the name of the cache
 */
record HistoryNames<K>(String cache, BinaryCodec<K> codec) {

  private static final int LONGEST_KEY = 600;

  /** Throws {@link IllegalArgumentException} for a key of more than 600 bytes. */
  String of(K key) {
    byte[] bytes = codec.write().apply(Objects.requireNonNull(key, "a key"));
    if (bytes.length > LONGEST_KEY) {
      throw new IllegalArgumentException(
          "a key must have at most " + LONGEST_KEY + " bytes; got " + bytes.length);
    }
    return prefix() + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  String prefix() {
    return "versions/" + cache + "/";
  }

  String record() {
    return "versioned/" + cache;
  }

  K key(String name) {
    return codec.read().apply(Base64.getUrlDecoder().decode(name.substring(prefix().length())));
  }
}
