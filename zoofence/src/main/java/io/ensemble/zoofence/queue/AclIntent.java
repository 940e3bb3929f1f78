package io.ensemble.zoofence.queue;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A change of an access list that has begun. The canonical instance of a queue records it.
 *
 * @param number the number of the command
 * @param base the version of the access list before the change
 */
public record AclIntent(long number, int base) {
  public byte[] bytes() {
    return (number + " " + base).getBytes(StandardCharsets.UTF_8);
  }

  /** Reads the result of {@link #bytes}; null if no change is recorded. */
  public static @Nullable AclIntent read(byte @Nullable [] data) {
    String[] words =
        data == null ? new String[0] : new String(data, StandardCharsets.UTF_8).split(" ", -1);
    return words.length == 2
        ? new AclIntent(Long.parseLong(words[0]), Integer.parseInt(words[1]))
        : null;
  }
}
