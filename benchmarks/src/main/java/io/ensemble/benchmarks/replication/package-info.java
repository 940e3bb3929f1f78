/**
 * Replication benchmarks compare replication schemes on distant sites with the bounds that round
 * trips and bandwidth impose.
 */
@NullMarked
package io.ensemble.benchmarks.replication;

import org.jspecify.annotations.NullMarked;
