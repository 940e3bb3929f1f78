/**
 * YCSB over Ensemble: the binding, and the program that runs YCSB's workloads. The program keeps
 * YCSB's output, and fails even where YCSB would not.
 */
@NullMarked
package io.ensemble.benchmarks;

import org.jspecify.annotations.NullMarked;
