/**
 * How many replicas of a cache are whole, what the cache can still lose, and the report of each
 * change of that.
 */
@NullMarked
package io.ensemble.redundancy;

import org.jspecify.annotations.NullMarked;
