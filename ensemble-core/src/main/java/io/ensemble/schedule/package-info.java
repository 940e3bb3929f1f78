/** Time and threads as Ensemble sees them: one port, so that a simulation can stand in for both. */
@NullMarked
package io.ensemble.schedule;

import org.jspecify.annotations.NullMarked;
