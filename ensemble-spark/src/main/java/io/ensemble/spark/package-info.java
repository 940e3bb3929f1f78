/**
 * Ensemble's caches as a data source of Apache Spark. A Spark partition is a slice of the entries,
 * such as a shard; the executor that has it reads the values through a manager of its own.
 */
@NullMarked
package io.ensemble.spark;

import org.jspecify.annotations.NullMarked;
