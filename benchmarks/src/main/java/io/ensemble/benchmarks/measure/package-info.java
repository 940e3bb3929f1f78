/**
 * The programs behind the figures of benchmarks/results: one class for each question, run by {@code
 * io.ensemble.benchmarks.Measure}. The federation, three sites of three nodes, runs in a JVM of its
 * own on the same machine. What is compared is measured in one run, in turns of a second, so that
 * what else the machine does meets both alike; only ratios count. Where something is killed, each
 * node is a process, and runs follow each other.
 */
@NullMarked
package io.ensemble.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
