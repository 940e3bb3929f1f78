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
  private final RepartitionRules growth;
  // guarded by this object's lock
  private final Map<String, OwnerFailureDetector> kept = new HashMap<>();

  public OwnerFailureDetectors(ChangeRules rules, RepartitionRules growth) {
    this.rules = rules;
    this.growth = growth;
  }

  /** The number of detectors. */
  synchronized int number() {
    return kept.size();
  }

  /** Whether the mover of the change in {@code seen}, if there is one, is silent. */
  public boolean isSilent(StoredDefinition seen, long nowNanos) {
    long silence = seen.change().map(change -> rules.silenceNanos(change.step())).orElse(0L);
    return isSilent(
        seen.definition().name(),
        seen.change().map(ConfigurationChange::sign),
        new Patience(silence, rules.blindNanos()),
        nowNanos);
  }

  /** Whether the mover of the change of parts in {@code seen}, if there is one, is silent. */
  public boolean isSilent(StoredDistribution seen, long nowNanos) {
    return isSilent(
        seen.definition().name(),
        seen.growth().map(Repartition::sign),
        new Patience(growth.silenceNanos(), growth.blindNanos()),
        nowNanos);
  }

  /** For how long a heartbeat must not advance, and how far apart two reads of it may be. */
  private record Patience(long silenceNanos, long blindNanos) {}

  private synchronized boolean isSilent(
      String cache, Optional<OwnerLiveness> sign, Patience patience, long nowNanos) {
    if (sign.isEmpty()) {
      kept.remove(cache);
      return false;
    }
    // Perhaps of caches that no longer exist.
    kept.values().removeIf(vigil -> vigil.isStale(nowNanos));
    return kept.computeIfAbsent(cache, name -> new OwnerFailureDetector(patience.blindNanos()))
        .isSilent(sign.get(), patience.silenceNanos(), nowNanos);
  }
}
