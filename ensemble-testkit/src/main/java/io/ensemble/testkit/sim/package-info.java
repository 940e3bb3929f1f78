/**
 * A simulated federation: sites, network and time in one thread, so that production code written
 * against {@link io.ensemble.schedule.Scheduler}, {@link io.ensemble.site.Site} and {@link
 * io.ensemble.site.SiteStore} runs on a virtual clock among seeded faults. One seed gives one
 * {@link io.ensemble.testkit.sim.SimTrace}. {@link io.ensemble.testkit.sim.SimFederation} is where
 * to begin.
 */
@NullMarked
package io.ensemble.testkit.sim;

import org.jspecify.annotations.NullMarked;
