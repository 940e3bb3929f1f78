package io.ensemble.migrate;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.OwnerFailureDetector;
import io.ensemble.change.OwnerLiveness;
import io.ensemble.repartition.Repartition;
import io.ensemble.repartition.RepartitionRules;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The owner failure detectors of one process, one for each cache with a change, of its
 * configuration or of its parts. Thread-safe.
 */
public final class OwnerFailureDetectors {

  private final ChangeRules rules;
  private final RepartitionRules repartitionRules;
  // guarded by this object's lock
  private final Map<String, OwnerFailureDetector> detectors = new HashMap<>();

  public OwnerFailureDetectors(ChangeRules rules, RepartitionRules repartitionRules) {
    this.rules = rules;
    this.repartitionRules = repartitionRules;
  }

  /** The number of detectors. */
  synchronized int number() {
    return detectors.size();
  }

  /** Whether the mover of the change in {@code stored}, if there is one, is silent. */
  public boolean isSilent(StoredDefinition stored, long nowNanos) {
    long silence = stored.change().map(change -> rules.silenceNanos(change.step())).orElse(0L);
    return isSilent(
        stored.definition().name(),
        stored.change().map(ConfigurationChange::sign),
        new DetectionTimeouts(silence, rules.blindNanos()),
        nowNanos);
  }

  /** Whether the mover of the change of parts in {@code stored}, if there is one, is silent. */
  public boolean isSilent(StoredDistribution stored, long nowNanos) {
    return isSilent(
        stored.definition().name(),
        stored.growth().map(Repartition::sign),
        new DetectionTimeouts(repartitionRules.silenceNanos(), repartitionRules.blindNanos()),
        nowNanos);
  }

  /** For how long a heartbeat must not advance, and how far apart two reads of it may be. */
  private record DetectionTimeouts(long silenceNanos, long blindNanos) {}

  private synchronized boolean isSilent(
      String cache, Optional<OwnerLiveness> liveness, DetectionTimeouts timeouts, long nowNanos) {
    if (liveness.isEmpty()) {
      detectors.remove(cache);
      return false;
    }
    // Perhaps of caches that no longer exist.
    detectors.values().removeIf(detector -> detector.isStale(nowNanos));
    return detectors
        .computeIfAbsent(cache, name -> new OwnerFailureDetector(timeouts.blindNanos()))
        .isSilent(liveness.get(), timeouts.silenceNanos(), nowNanos);
  }
}
