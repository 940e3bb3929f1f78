/**
 * What belongs beside every figure: the machine, the version and commit, and how it is written
 * down.
 */
@NullMarked
package io.ensemble.benchmarks.report;

import org.jspecify.annotations.NullMarked;
