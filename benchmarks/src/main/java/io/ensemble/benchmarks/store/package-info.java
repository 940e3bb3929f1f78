/**
 * The stores that are compared: a WEAK, an SWMR or an MWMR cache of Ensemble, and one plain cache
 * of Infinispan at one site, all with the same records in the same backing settings. What they do
 * for one call is alike, so that ratios between them say what Ensemble costs and nothing else.
 */
@NullMarked
package io.ensemble.benchmarks.store;

import org.jspecify.annotations.NullMarked;
