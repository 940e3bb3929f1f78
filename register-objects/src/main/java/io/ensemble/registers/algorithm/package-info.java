/**
 * Algorithms over registers that are only read and written, as values that decide and do nothing.
 */
@NullMarked
package io.ensemble.registers.algorithm;

import org.jspecify.annotations.NullMarked;
