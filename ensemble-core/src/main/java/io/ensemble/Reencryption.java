package io.ensemble;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The progress of a pass over a private cache that re-encrypts values with the present key.
 *
 * @param keys how many keys the pass has found
 * @param reencrypted how many of them it has re-encrypted
 * @param left how many are still under former keys, because their writes were refused or of unknown
 *     outcome; another pass may find fewer
 * @param unreadable how many cannot be read at all: the keyset lacks their key, or they are not
 *     authentic
 * @param byKey how many values are under each key now, by its id; values that are not authentic are
 *     left out
 */
public record Reencryption(
    long keys, long reencrypted, long left, long unreadable, SortedMap<String, Long> byKey) {

  public Reencryption {
    byKey = Collections.unmodifiableSortedMap(new TreeMap<>(byKey));
  }
}
