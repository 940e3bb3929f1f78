/**
 * The part of a distributed cache to which a key belongs, as a pure function of the key and of the
 * parts' names. Every process with the same definition finds the same part, in every version of
 * Ensemble, because the location of stored data depends on it.
 */
@NullMarked
package io.ensemble.partition;

import org.jspecify.annotations.NullMarked;
