package io.ensemble.versioning.listen;

import java.util.Optional;

/**
 * A version that was added.
 *
 * @param value empty if the key was removed with it
 * @param sequence the how manieth version of the key it is, from 1
 */
public record NewVersion<K, V, T>(K key, T version, Optional<V> value, long sequence) {}
