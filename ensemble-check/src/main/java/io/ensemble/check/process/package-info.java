/**
 * Processes that are started and ended: their exit codes, their output as lines, and their fate
 * when this process ends.
 */
@NullMarked
package io.ensemble.check.process;

import org.jspecify.annotations.NullMarked;
