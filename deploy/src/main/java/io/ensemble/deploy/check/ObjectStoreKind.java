package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.LocalPlan;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What atomic objects are stored in, and what can befall them there. */
public enum ObjectStoreKind {
  /** An Infinispan cluster of which the client processes are the nodes. */
  EMBEDDED(EnumSet.of(FaultKind.CLIENT, FaultKind.EVENTS)),
  /** One site, over Hot Rod. Its memory is all there is, so the whole of it does not die. */
  HOTROD(
      EnumSet.of(
          FaultKind.NODE,
          FaultKind.PAUSE,
          FaultKind.CUT,
          FaultKind.ONEWAY,
          FaultKind.SLOW,
          FaultKind.OWNER,
          FaultKind.CLIENT,
          FaultKind.EVENTS)),
  /** An MWMR cache at several sites. It has no events. */
  ENSEMBLE(
      EnumSet.of(
          FaultKind.KILL,
          FaultKind.NODE,
          FaultKind.PAUSE,
          FaultKind.CUT,
          FaultKind.ONEWAY,
          FaultKind.SLOW,
          FaultKind.AMNESIA,
          FaultKind.CLIENT));

  private final Set<FaultKind> faults;

  ObjectStoreKind(Set<FaultKind> faults) {
    this.faults = faults;
  }

  /** What can be done to objects in it. */
  public Set<FaultKind> faults() {
    return EnumSet.copyOf(faults);
  }

  /** Those of them that can be done to such sites. */
  public Set<FaultKind> faults(LocalPlan plan) {
    int sites = plan.sites();
    return FaultPlan.Settings.possible(
        faults, sites, plan.nodes(), (sites - 1) / 2, plan.processes());
  }

  /** As it is typed. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
