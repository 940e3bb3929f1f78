/**
 * Distributed caches: the rules for their parts, their creation with or without shards, and the
 * change of their parts.
 */
@NullMarked
package io.ensemble.distribution;

import org.jspecify.annotations.NullMarked;
