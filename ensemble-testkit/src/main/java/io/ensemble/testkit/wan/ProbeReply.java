package io.ensemble.testkit.wan;

/**
 * The result for one packet of a measurement.
 *
 * @param number the number of the packet, from 0
 * @param roundTripNanos the time until its answer was back
 * @param arrivedNanos the time of its arrival, by the clock of the other host
 */
record ProbeReply(long number, long roundTripNanos, long arrivedNanos) {}
