/**
 * The shared parts of all quorum engines: a queue for the inputs of a call, the stores that a call
 * works on, and the sites that answered. Also turns and batches of the writers of a key.
 */
@NullMarked
package io.ensemble.cache.quorum;

import org.jspecify.annotations.NullMarked;
