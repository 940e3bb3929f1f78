package io.ensemble.testkit.wan;

/**
 * What a packet of a measurement met.
 *
 * @param number of the packet, from 0
 * @param roundTripNanos until its answer was back
 * @param arrivedNanos when it had come, by the clock of the other host
 */
record ProbeReply(long number, long roundTripNanos, long arrivedNanos) {}
