/**
 * The cost of atomic objects in comparison with their rivals. Each client is a closed loop, or a
 * stream of arrivals, in one of several processes. One site of three nodes and ensembles of three
 * ZooKeeper servers, and three etcd servers if etcd is installed, each server a process, are behind
 * relays that add the required delay. Compared systems are measured in one run, in turns, so that
 * other load of the machine affects all alike.
 */
@NullMarked
package io.ensemble.benchmarks.objects;

import org.jspecify.annotations.NullMarked;
