/**
 * The order of one key's writes: writer ids, stamps made of hybrid time and writer, and the clock
 * that makes them. Pure: the caller passes in physical time.
 */
@NullMarked
package io.ensemble.stamp;

import org.jspecify.annotations.NullMarked;
