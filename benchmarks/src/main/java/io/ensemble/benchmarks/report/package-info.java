/**
 * The circumstances of every figure: the machine, the version and commit, and the format of
 * results.
 */
@NullMarked
package io.ensemble.benchmarks.report;

import org.jspecify.annotations.NullMarked;
