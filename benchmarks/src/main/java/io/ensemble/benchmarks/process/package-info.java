/**
 * Programs of the benchmarks in processes of their own, so that the measured program does not share
 * a JVM with the measuring one.
 */
@NullMarked
package io.ensemble.benchmarks.process;

import org.jspecify.annotations.NullMarked;
