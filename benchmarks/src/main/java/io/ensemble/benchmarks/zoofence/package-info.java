/**
 * ZooFence beside what it is made of: queues at sites that are far from each other, beside one
 * spanning ZooKeeper and ZooKeepers divided by hand; and BookKeeper, whose metadata is in a plain
 * ZooKeeper or in ZooFence.
 */
@NullMarked
package io.ensemble.benchmarks.zoofence;

import org.jspecify.annotations.NullMarked;
