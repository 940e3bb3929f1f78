package io.ensemble.testkit.wan;

import org.jspecify.annotations.Nullable;

/**
 * The requested and the measured properties of the path between two hosts, measured from inside
 * them with UDP packets.
 *
 * @param a the one host
 * @param b the other
 * @param wantedRoundTripMillis the requested round trip
 * @param wantedMegabits the requested bandwidth in each direction, 10^6 bits per second; 0 for no
 *     limit
 * @param wantedLossPercent the requested loss in each direction
 * @param roundTripP50Millis the measured median; null if no answer arrived, for example because of
 *     a cut
 * @param roundTripP99Millis the 99th percentile
 * @param megabitsThere the measured bandwidth from a to b; null if no limit was requested, or too
 *     few packets arrived
 * @param megabitsBack the measured bandwidth from b to a
 * @param asked the number of attempted round trips
 * @param lost the number of those without an answer
 */
public record HostPairReport(
    String a,
    String b,
    double wantedRoundTripMillis,
    double wantedMegabits,
    double wantedLossPercent,
    @Nullable Double roundTripP50Millis,
    @Nullable Double roundTripP99Millis,
    @Nullable Double megabitsThere,
    @Nullable Double megabitsBack,
    int asked,
    int lost) {}
