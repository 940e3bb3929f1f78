/**
 * What the calls of all quorum engines share: the inputs of a call one at a time, the stores that
 * it works on, who answered it, and turns and batches of the writers of a key.
 */
@NullMarked
package io.ensemble.cache.quorum;

import org.jspecify.annotations.NullMarked;
