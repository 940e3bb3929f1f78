/**
 * What atomic objects cost beside their rivals. Each client is a loop, or a line of arrivals, in
 * one of several processes; one site of three nodes and ensembles of three ZooKeeper servers, each
 * server a process, stand behind relays that make them as far as is wanted. What is compared is
 * measured in one run, in turns, so that what else the machine does meets all alike.
 */
@NullMarked
package io.ensemble.benchmarks.objects;

import org.jspecify.annotations.NullMarked;
