/**
 * To which part of a distributed cache a key belongs, as a pure function of the key and of the
 * parts' names: every process that knows the definition finds the same part, in every version of
 * Ensemble, for what is stored depends on it.
 */
@NullMarked
package io.ensemble.partition;

import org.jspecify.annotations.NullMarked;
