/**
 * ZooFence in comparison with its parts. Queues at sites that are far from each other are compared
 * with one spanning ZooKeeper and with ZooKeepers divided by hand. BookKeeper has its metadata in a
 * plain ZooKeeper or in ZooFence.
 */
@NullMarked
package io.ensemble.benchmarks.zoofence;

import org.jspecify.annotations.NullMarked;
