/**
 * Linearizable objects from registers that are only read and written: no conditional operation, no
 * vote of servers on more than one register (LEADS D2.6, appendix E).
 */
@NullMarked
package io.ensemble.registers;

import org.jspecify.annotations.NullMarked;
