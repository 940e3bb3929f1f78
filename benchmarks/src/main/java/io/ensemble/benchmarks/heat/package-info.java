/** The cost of recording operations for heat maps, as throughput with and without a recorder. */
@NullMarked
package io.ensemble.benchmarks.heat;

import org.jspecify.annotations.NullMarked;
