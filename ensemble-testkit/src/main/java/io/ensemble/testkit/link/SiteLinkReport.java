package io.ensemble.testkit.link;

/**
 * What a line was asked to be, and what it was measured to be, without the servers behind it.
 *
 * @param site the site that it leads to
 * @param wantedRoundTripMillis the round trip asked for
 * @param wantedMegabits in each direction, 10^6 bits a second; 0 for no bound
 * @param roundTripP50Millis the measured median
 * @param roundTripP99Millis the measured 99th percentile
 * @param requestMegabits what went to the site
 * @param replyMegabits what came back
 */
public record SiteLinkReport(
    String site,
    double wantedRoundTripMillis,
    double wantedMegabits,
    double roundTripP50Millis,
    double roundTripP99Millis,
    double requestMegabits,
    double replyMegabits) {}
