/** Drives the algorithms: makes their accesses to registers, within deadlines. */
@NullMarked
package io.ensemble.registers.drive;

import org.jspecify.annotations.NullMarked;
