/** What all trials have in common: a request with its bounds, the run, and its result. */
@NullMarked
package io.ensemble.check.trial;

import org.jspecify.annotations.NullMarked;
