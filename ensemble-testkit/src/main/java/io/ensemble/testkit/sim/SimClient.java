package io.ensemble.testkit.sim;

import io.ensemble.site.Site;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One process of a simulated federation: what production code is given to run on.
 *
 * @param name its name in plans and traces
 * @param scheduler its view of time; stops for good when the client crashes
 * @param sites its own connections, by site name, in the federation's order
 * @param random its own randomness, which the seed decides
 */
public record SimClient(
    String name, SimScheduler scheduler, Map<String, Site> sites, SplittableRandom random) {}
