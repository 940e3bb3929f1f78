/**
 * How a cache moves to another configuration, that is to other sites or another mode, while it is
 * used. The package describes the change in the cache's record and the next action of the mover,
 * which is the process that carries the change out. Pure: performs nothing and reads no clock.
 */
@NullMarked
package io.ensemble.change;

import org.jspecify.annotations.NullMarked;
