/**
 * The flattening gives the instances that hold a path. It is the function M of the paper's
 * Algorithm 3, restricted to flattenings with property P2: the holders of a znode are among the
 * holders of its parent. This package contains values without any I/O.
 */
@NullMarked
package io.ensemble.zoofence.flattening;

import org.jspecify.annotations.NullMarked;
