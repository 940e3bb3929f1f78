/**
 * Streams of changes: drives {@link io.ensemble.listen.ChangeMerger} over the stores of a cache,
 * and buffers its outputs for a reader.
 */
@NullMarked
package io.ensemble.cache.listen;

import org.jspecify.annotations.NullMarked;
