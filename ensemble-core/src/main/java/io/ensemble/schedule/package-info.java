/** The time and the threads that Ensemble uses: one port, so that a simulation can replace both. */
@NullMarked
package io.ensemble.schedule;

import org.jspecify.annotations.NullMarked;
