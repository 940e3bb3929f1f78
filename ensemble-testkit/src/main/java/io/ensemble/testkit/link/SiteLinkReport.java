package io.ensemble.testkit.link;

/**
 * The requested and the measured properties of a link, without the servers behind it.
 *
 * @param site the site at its end
 * @param wantedRoundTripMillis the requested round trip
 * @param wantedMegabits the requested bandwidth in each direction, 10^6 bits per second; 0 for no
 *     limit
 * @param roundTripP50Millis the measured median
 * @param roundTripP99Millis the measured 99th percentile
 * @param requestMegabits the measured bandwidth to the site
 * @param replyMegabits the measured bandwidth from the site
 */
public record SiteLinkReport(
    String site,
    double wantedRoundTripMillis,
    double wantedMegabits,
    double roundTripP50Millis,
    double roundTripP99Millis,
    double requestMegabits,
    double replyMegabits) {}
