/** Trials of caches: client processes whose reads and writes of single keys are recorded. */
@NullMarked
package io.ensemble.check.registers;

import org.jspecify.annotations.NullMarked;
