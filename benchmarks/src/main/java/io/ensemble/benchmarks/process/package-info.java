/**
 * Programs of the benchmarks in processes of their own, so that what is measured does not share a
 * virtual machine with what measures.
 */
@NullMarked
package io.ensemble.benchmarks.process;

import org.jspecify.annotations.NullMarked;
