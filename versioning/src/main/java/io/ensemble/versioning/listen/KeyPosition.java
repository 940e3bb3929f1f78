package io.ensemble.versioning.listen;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.UUID;

/**
 * How far a key was told.
 *
 * @param history a number of the history that its versions were in; 0 if it had none
 * @param sequence of the last version that was told, or passed over
 */
record KeyPosition(long history, long sequence) {

  /** The key had no version. */
  static final KeyPosition NONE = new KeyPosition(0, 0);

  /** The number of a history that is known by {@code id}. */
  static long history(String id) {
    long number = UUID.nameUUIDFromBytes(id.getBytes(UTF_8)).getMostSignificantBits();
    return number == 0 ? 1 : number;
  }
}
