/**
 * A contest runs a workload on several contenders in turns, within one run, and reports latencies
 * and ratios.
 */
@NullMarked
package io.ensemble.benchmarks.contest;

import org.jspecify.annotations.NullMarked;
