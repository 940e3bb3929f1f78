package io.ensemble.explore.primary;

import io.ensemble.explore.LinearizabilityMonitor;
import io.ensemble.explore.primary.PrimaryParticipant.AcknowledgedJob;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writes acknowledged by the primary alone that a fail-over may drop. */
final class PrimaryLosses {

  private PrimaryLosses() {}

  /**
   * The judge of {@code state} once every key was recovered into its term: writes of earlier terms
   * that were in doubt are there now, or lost permanently.
   */
  static LinearizabilityMonitor decided(PrimaryScenarioState state) {
    LinearizabilityMonitor monitor = state.monitor;
    for (PrimaryParticipant party : state.parties) {
      for (AcknowledgedJob write : party.window) {
        monitor = isDecided(write, state) ? monitor.withdrawn(write.call()) : monitor;
      }
    }
    return monitor;
  }

  /**
   * The judge of {@code state} once its term has begun: writes in a window may be lost, and may
   * come back until a term is whole.
   */
  static LinearizabilityMonitor failedOver(PrimaryScenarioState state) {
    LinearizabilityMonitor monitor = state.monitor;
    boolean drops = false;
    for (PrimaryParticipant party : state.parties) {
      for (AcknowledgedJob write : party.window) {
        if (!isDecided(write, state)) {
          monitor = monitor.called(write.call());
          drops = true;
        }
      }
      drops |= party.uncertainEpoch != 0 || isWriting(party, state);
    }
    return drops ? monitor.mayReturnTo(returns(state)) : monitor;
  }

  private static boolean isDecided(AcknowledgedJob write, PrimaryScenarioState state) {
    return state.decidedEpoch > write.epoch();
  }

  /**
   * Whether a write of {@code party} may be seen and dropped before the party receives a response.
   */
  private static boolean isWriting(PrimaryParticipant party, PrimaryScenarioState state) {
    return party.called && state.scripts.get(party.index).get(party.next).kind() != 'g';
  }

  /** A party's last acknowledged value, or a value before those that are reported. */
  private static Set<@Nullable Integer> returns(PrimaryScenarioState state) {
    Set<@Nullable Integer> values = new HashSet<>();
    boolean nothing = true;
    for (PrimaryParticipant party : state.parties) {
      int last = party.acknowledged.size();
      while (last > 0) {
        values.add(party.acknowledged.get(last - 1));
        if (!isReported(party, party.acknowledged.get(last - 1))) {
          break;
        }
        last--;
      }
      nothing &= last == 0;
    }
    if (nothing) {
      values.add(null);
    }
    return values;
  }

  private static boolean isReported(PrimaryParticipant party, int value) {
    return party.window.stream().anyMatch(write -> write.value() == value);
  }
}
