/**
 * How an open cache relies on its configuration. The cache looks for the end of the configuration
 * in its own stores, and gives answers only under a lease that there is none. After the end the
 * cache moves to the next configuration.
 */
@NullMarked
package io.ensemble.cache.lease;

import org.jspecify.annotations.NullMarked;
