/**
 * How an open cache uses a configuration that serves before it holds all entries. Each key is taken
 * over from the former configuration when it is first used, in one step of its register.
 */
@NullMarked
package io.ensemble.cache.migration;

import org.jspecify.annotations.NullMarked;
