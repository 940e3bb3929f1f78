/**
 * A cache over other caches: an engine forwards each key to the engine of its part, and scans one
 * part after the other. All user-visible operations use an engine's four operations ({@link
 * io.ensemble.cache.adapter}), so no other code depends on parts.
 */
@NullMarked
package io.ensemble.cache.distributed;

import org.jspecify.annotations.NullMarked;
