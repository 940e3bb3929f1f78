package io.ensemble.testkit.wan;

import org.jspecify.annotations.Nullable;

/**
 * What was asked for between two hosts, and what was measured from inside them, by packets of UDP.
 *
 * @param a the one host
 * @param b the other
 * @param wantedRoundTripMillis asked for
 * @param wantedMegabits asked for in each direction, 10^6 bits a second; 0 for no bound
 * @param wantedLossPercent asked for in each direction
 * @param roundTripP50Millis the measured median; null if nothing came back, as where it is cut
 * @param roundTripP99Millis the 99th percentile
 * @param megabitsThere what went from a to b; null where no bound was asked for, or too little came
 * @param megabitsBack what went from b to a
 * @param asked how many round trips were tried
 * @param lost how many of them did not come back
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
