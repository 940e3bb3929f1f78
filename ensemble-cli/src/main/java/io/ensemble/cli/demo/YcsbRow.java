package io.ensemble.cli.demo;

/**
 * One run of YCSB.
 *
 * @param workload {@code a} or {@code b}
 * @param mode {@code weak} or {@code mwmr}
 * @param operations how many it did
 * @param operationsPerSecond how many in a second
 * @param readP99Micros the latency that 99 % of the reads kept below
 * @param updateP99Micros that of the updates
 */
public record YcsbRow(
    String workload,
    String mode,
    long operations,
    double operationsPerSecond,
    double readP99Micros,
    double updateP99Micros) {}
