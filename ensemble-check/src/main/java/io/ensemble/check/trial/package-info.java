/** The common parts of all trials: a request with its bounds, the run, and its result. */
@NullMarked
package io.ensemble.check.trial;

import org.jspecify.annotations.NullMarked;
