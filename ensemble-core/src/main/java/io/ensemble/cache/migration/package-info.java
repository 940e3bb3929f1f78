/**
 * How an open cache uses a configuration that serves before everything is in it: each key is taken
 * over from the former configuration when it is first touched, in one step of its register.
 */
@NullMarked
package io.ensemble.cache.migration;

import org.jspecify.annotations.NullMarked;
