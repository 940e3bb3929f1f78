/**
 * Outage benchmarks measure availability, latency, lost writes and repair time while a node or site
 * is killed or drained.
 */
@NullMarked
package io.ensemble.benchmarks.outage;

import org.jspecify.annotations.NullMarked;
