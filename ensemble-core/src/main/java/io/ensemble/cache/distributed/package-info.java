/**
 * A cache over other caches: an engine that hands each key on to the engine of its part, and walks
 * over one part after the other. All that users see is made of an engine's four operations ({@link
 * io.ensemble.cache.adapter}), so nothing else knows of parts.
 */
@NullMarked
package io.ensemble.cache.distributed;

import org.jspecify.annotations.NullMarked;
