package io.ensemble.simulation;

import io.ensemble.site.Site;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One process of a simulated federation: the environment in which production code runs.
 *
 * @param name its name in plans and traces
 * @param scheduler its view of time; stops permanently when the client crashes
 * @param sites its own connections, by site name, in the federation's order
 * @param random its own random numbers, which the seed decides
 */
public record SimClient(
    String name, SimScheduler scheduler, Map<String, Site> sites, SplittableRandom random) {}
