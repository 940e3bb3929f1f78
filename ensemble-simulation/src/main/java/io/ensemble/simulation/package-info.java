/**
 * A simulated federation: sites, network and time in one thread. Production code written against
 * {@link io.ensemble.schedule.Scheduler}, {@link io.ensemble.site.Site} and {@link
 * io.ensemble.site.SiteStore} runs on a virtual clock among seeded faults. One seed gives one
 * {@link io.ensemble.simulation.SimTrace}. Begin with {@link io.ensemble.simulation.SimFederation}.
 */
@NullMarked
package io.ensemble.simulation;

import org.jspecify.annotations.NullMarked;
