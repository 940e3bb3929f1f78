/**
 * The flattening gives the instances that hold a path. It is the function M of the paper's
 * Algorithm 3, restricted to property P2: the holders of a znode are among the holders of its
 * parent. All classes are values without any I/O.
 */
@NullMarked
package io.ensemble.zoofence.flattening;

import org.jspecify.annotations.NullMarked;
