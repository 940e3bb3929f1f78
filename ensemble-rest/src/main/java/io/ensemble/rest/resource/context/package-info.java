/**
 * All endpoints share the cache manager, a pool for blocking calls, idempotency of repeated
 * requests, and resource links.
 */
@NullMarked
package io.ensemble.rest.resource.context;

import org.jspecify.annotations.NullMarked;
