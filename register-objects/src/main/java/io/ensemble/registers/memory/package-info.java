/** Registers, and the cells in them as bytes. */
@NullMarked
package io.ensemble.registers.memory;

import org.jspecify.annotations.NullMarked;
