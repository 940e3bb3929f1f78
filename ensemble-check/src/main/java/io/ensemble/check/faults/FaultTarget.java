package io.ensemble.check.faults;

import java.util.Set;

/**
 * A target of faults. The calls wait until the fault has begun or ended; calls for different sites
 * may be concurrent.
 */
public interface FaultTarget {

  /** The kinds of faults that it accepts. */
  Set<TrialFaultKind> kinds();

  /** Begins a fault. */
  void begin(PlannedFault fault);

  /** Ends the fault: processes that died run again, connections work. */
  void end(PlannedFault fault);
}
