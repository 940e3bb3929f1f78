/**
 * How an open cache relies on its configuration: it looks for the end of the configuration in the
 * cache's own stores, gives answers only while it trusts that there is none, and follows to the
 * next one.
 */
@NullMarked
package io.ensemble.cache.lease;

import org.jspecify.annotations.NullMarked;
