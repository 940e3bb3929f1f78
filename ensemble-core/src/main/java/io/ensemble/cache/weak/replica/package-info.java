/**
 * A replica of a WEAK cache as the engine uses it: requests, background copies, and the
 * anti-entropy that makes replicas equal.
 */
@NullMarked
package io.ensemble.cache.weak.replica;

import org.jspecify.annotations.NullMarked;
