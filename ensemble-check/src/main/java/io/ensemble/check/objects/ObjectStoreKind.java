package io.ensemble.check.objects;

import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.federation.LocalPlan;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What atomic objects are stored in, and what can befall them there. */
public enum ObjectStoreKind {
  /** An Infinispan cluster of which the client processes are the nodes. */
  EMBEDDED(EnumSet.of(TrialFaultKind.CLIENT, TrialFaultKind.EVENTS)),
  /** One site, over Hot Rod. Its memory is all there is, so the whole of it does not die. */
  HOTROD(
      EnumSet.of(
          TrialFaultKind.NODE,
          TrialFaultKind.PAUSE,
          TrialFaultKind.CUT,
          TrialFaultKind.ONEWAY,
          TrialFaultKind.SLOW,
          TrialFaultKind.OWNER,
          TrialFaultKind.CLIENT,
          TrialFaultKind.EVENTS)),
  /** An MWMR cache at several sites. It has no events. */
  ENSEMBLE(
      EnumSet.of(
          TrialFaultKind.KILL,
          TrialFaultKind.NODE,
          TrialFaultKind.PAUSE,
          TrialFaultKind.CUT,
          TrialFaultKind.ONEWAY,
          TrialFaultKind.SLOW,
          TrialFaultKind.AMNESIA,
          TrialFaultKind.CLIENT));

  private final Set<TrialFaultKind> faults;

  ObjectStoreKind(Set<TrialFaultKind> faults) {
    this.faults = faults;
  }

  /** What can be done to objects in it. */
  public Set<TrialFaultKind> faults() {
    return EnumSet.copyOf(faults);
  }

  /** Those of them that can be done to such sites. */
  public Set<TrialFaultKind> faults(LocalPlan plan) {
    int sites = plan.sites();
    return TrialFaultPlan.Settings.possible(
        faults, sites, plan.nodes(), (sites - 1) / 2, plan.processes());
  }

  /** As it is typed. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
