/**
 * The faults of sites, catalogs and processes during a trial: the plan of a seed, its execution,
 * and the repair at the end of each round.
 */
@NullMarked
package io.ensemble.check.faults;

import org.jspecify.annotations.NullMarked;
