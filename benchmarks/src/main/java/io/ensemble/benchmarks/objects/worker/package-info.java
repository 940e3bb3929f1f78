/**
 * A worker process runs the clients of one contestant on shared objects, in closed loops or as
 * Poisson arrivals, and reports the results.
 */
@NullMarked
package io.ensemble.benchmarks.objects.worker;

import org.jspecify.annotations.NullMarked;
