/**
 * The order of one key's writes: writer ids and stamps made of hybrid time and writer, and the
 * clock that makes them. Pure: physical time is handed in.
 */
@NullMarked
package io.ensemble.stamp;

import org.jspecify.annotations.NullMarked;
