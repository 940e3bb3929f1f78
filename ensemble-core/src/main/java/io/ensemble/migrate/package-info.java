/**
 * Changes of a cache's configuration while it is used: the mover, which carries out a change action
 * by action, and the follower, which moves open caches to the new configuration.
 */
@NullMarked
package io.ensemble.migrate;

import org.jspecify.annotations.NullMarked;
