/**
 * The trial of a mode's guarantee on real sites: client processes work on one cache while faults
 * that a seed has chosen befall the sites, every operation is recorded as its client saw it, and
 * the history is judged. What breaks sites stands behind {@link
 * io.ensemble.deploy.check.FaultableSites}; what is broken when is planned by {@link
 * io.ensemble.deploy.check.TrialFaultPlan}, which touches nothing.
 */
@NullMarked
package io.ensemble.deploy.check;

import org.jspecify.annotations.NullMarked;
