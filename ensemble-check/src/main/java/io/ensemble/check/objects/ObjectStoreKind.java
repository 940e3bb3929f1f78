package io.ensemble.check.objects;

import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.TrialFaultPlan;
import io.ensemble.check.federation.LocalPlan;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The kinds of stores of atomic objects, and the faults that each supports. */
public enum ObjectStoreKind {
  /** An Infinispan cluster whose nodes are the client processes. */
  EMBEDDED(EnumSet.of(TrialFaultKind.CLIENT, TrialFaultKind.EVENTS)),
  /** One site, over Hot Rod. Its memory is the only copy, so the whole site does not die. */
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
  /** An MWMR cache at several sites, without events. */
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

  /** The faults that objects in it support. */
  public Set<TrialFaultKind> faults() {
    return EnumSet.copyOf(faults);
  }

  /** The faults of these that such sites support. */
  public Set<TrialFaultKind> faults(LocalPlan plan) {
    int sites = plan.sites();
    return TrialFaultPlan.Settings.possible(
        faults, sites, plan.nodes(), (sites - 1) / 2, plan.processes());
  }

  /** The word for the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
