package io.ensemble.cli.demo;

/**
 * One run of YCSB.
 *
 * @param workload {@code a} or {@code b}
 * @param mode {@code weak} or {@code mwmr}
 * @param operations the number of operations
 * @param operationsPerSecond the rate
 * @param readP99Micros the 99th percentile of the latency of reads
 * @param updateP99Micros the 99th percentile of the latency of updates
 */
public record YcsbRow(
    String workload,
    String mode,
    long operations,
    double operationsPerSecond,
    double readP99Micros,
    double updateP99Micros) {}
