package io.ensemble;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a pass over a private cache has come, which brings what is encrypted with former keys
 * under the present one.
 *
 * @param keys how many keys it has met
 * @param reencrypted how many of them it has encrypted anew
 * @param left how many are still under former keys: their writes were refused or of unknown
 *     outcome; another pass may find fewer
 * @param unreadable how many cannot be read at all: under keys that the keyset does not have, or
 *     not what was written there
 * @param byKey how many values are under each key now, by its id; what was not authentic is under
 *     none
 */
public record Reencryption(
    long keys, long reencrypted, long left, long unreadable, SortedMap<String, Long> byKey) {

  public Reencryption {
    byKey = Collections.unmodifiableSortedMap(new TreeMap<>(byKey));
  }
}
