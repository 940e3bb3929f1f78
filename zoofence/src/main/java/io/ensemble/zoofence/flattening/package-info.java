/**
 * Which instances hold a path: the function M of the paper's Algorithm 3, restricted to those with
 * property P2 (a znode's holders are among its parent's). Values, without any I/O.
 */
@NullMarked
package io.ensemble.zoofence.flattening;

import org.jspecify.annotations.NullMarked;
