/**
 * YCSB over Ensemble: the binding, and the program that runs YCSB's workloads, keeps what YCSB
 * says, and fails when YCSB would not.
 */
@NullMarked
package io.ensemble.benchmarks;

import org.jspecify.annotations.NullMarked;
