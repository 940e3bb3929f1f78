package io.ensemble.check.listeners;

import io.ensemble.check.faults.FaultTarget;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.trial.WaitingStep;
import io.ensemble.testkit.process.child.ProcessResumer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Listeners whose processes are killed or stopped, or whose streams are closed and opened again.
 * One fault at a time.
 */
public final class FaultableListeners implements FaultTarget {

  /** What happens to a listener. */
  enum Variant {
    KILL,
    PAUSE,
    REOPEN
  }

  private final ListenerProcesses listeners;
  private volatile @Nullable ProcessResumer paused;

  public FaultableListeners(ListenerProcesses listeners) {
    this.listeners = listeners;
  }

  @Override
  public Set<TrialFaultKind> kinds() {
    return Set.of(TrialFaultKind.LISTENER);
  }

  /** The variant that {@code strength} chooses. */
  static Variant variant(int strength) {
    return Variant.values()[strength % Variant.values().length];
  }

  private int listener(PlannedFault fault) {
    return fault.strength() / Variant.values().length % listeners.size();
  }

  @Override
  public void begin(PlannedFault fault) {
    int listener = listener(fault);
    switch (variant(fault.strength())) {
      case KILL -> uninterrupted(() -> listeners.kill(listener));
      case PAUSE -> paused = listeners.pause(listener);
      case REOPEN -> listeners.reopen(listener);
    }
  }

  @Override
  public void end(PlannedFault fault) {
    int listener = listener(fault);
    switch (variant(fault.strength())) {
      case KILL -> uninterrupted(() -> listeners.resume(listener));
      case PAUSE -> {
        ProcessResumer resumer = paused;
        if (resumer != null) {
          resumer.close();
          paused = null;
        }
      }
      case REOPEN -> {}
    }
  }

  private static void uninterrupted(WaitingStep step) {
    WaitingStep.complete("restarting a listener", step);
  }
}
