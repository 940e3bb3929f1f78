package io.ensemble.benchmarks.contest;

import java.util.List;

/**
 * The result of a program.
 *
 * @param figures a record or a list of them, for JSON
 * @param lines the same for people, a Markdown table
 */
public record BenchmarkResult(Object figures, List<String> lines) {}
