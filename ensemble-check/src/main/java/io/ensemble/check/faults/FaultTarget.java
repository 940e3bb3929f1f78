package io.ensemble.check.faults;

import java.util.Set;

/**
 * What faults can be done to. The calls wait until the thing is done; those for different sites may
 * come at once.
 */
public interface FaultTarget {

  /** What can be done to it. */
  Set<TrialFaultKind> kinds();

  /** Begins a fault. */
  void begin(PlannedFault fault);

  /** Ends it: processes that died run again, connections work. */
  void end(PlannedFault fault);
}
