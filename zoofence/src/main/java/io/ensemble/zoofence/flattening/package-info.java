/**
 * The flattening gives the instances that hold a path. The function M of the paper's Algorithm 3 is
 * restricted here to flattenings with property P2: the holders of a znode are among the holders of
 * its parent. All classes are values without any I/O.
 */
@NullMarked
package io.ensemble.zoofence.flattening;

import org.jspecify.annotations.NullMarked;
