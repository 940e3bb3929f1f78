package io.ensemble.versioning.listen;

import java.util.Optional;

/**
 * A version that was added.
 *
 * @param value empty if the version is a removal
 * @param sequence the position of the version in the order of additions to the key, from 1
 */
public record NewVersion<K, V, T>(K key, T version, Optional<V> value, long sequence) {}
