/**
 * How a cache comes to another configuration, that is to other sites or another mode, while it is
 * used: what its record says of that, and what the process that carries it out, the mover, does
 * next. Pure: performs nothing and reads no clock.
 */
@NullMarked
package io.ensemble.change;

import org.jspecify.annotations.NullMarked;
