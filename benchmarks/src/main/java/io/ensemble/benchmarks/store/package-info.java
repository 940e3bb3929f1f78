/**
 * The compared stores: a WEAK, an SWMR or an MWMR cache of Ensemble, and one plain cache of
 * Infinispan at one site, all with the same records in the same backing settings. Their work for
 * one call is alike, so ratios between them show only the cost of Ensemble.
 */
@NullMarked
package io.ensemble.benchmarks.store;

import org.jspecify.annotations.NullMarked;
