package io.ensemble.versioning.listen;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.UUID;

/**
 * The position up to which a key was delivered.
 *
 * @param history a number of the history of its versions; 0 if there was none
 * @param sequence of the last version that was delivered or reported as missed
 */
record KeyPosition(long history, long sequence) {

  /** The position of a key without a delivered version. */
  static final KeyPosition NONE = new KeyPosition(0, 0);

  /** The number of the history with this {@code id}. */
  static long history(String id) {
    long number = UUID.nameUUIDFromBytes(id.getBytes(UTF_8)).getMostSignificantBits();
    return number == 0 ? 1 : number;
  }
}
