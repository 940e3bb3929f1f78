/**
 * Changes of a cache's configuration while it is used: the mover, which carries one out errand by
 * errand, and what has open caches follow to the new one.
 */
@NullMarked
package io.ensemble.migrate;

import org.jspecify.annotations.NullMarked;
