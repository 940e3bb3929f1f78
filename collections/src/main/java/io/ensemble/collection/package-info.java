/**
 * Data collections: all entries of a cache, for computations over them. An iteration goes through
 * the keys in the order of a hash, so one hash is its position, whatever happens to the cache
 * meanwhile. A pass scans all keys and keeps the next ones in that order; then it reads their
 * values, each as a {@code get} would.
 */
@NullMarked
package io.ensemble.collection;

import org.jspecify.annotations.NullMarked;
