package io.ensemble.migrate;

import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.change.Change;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.Sign;
import io.ensemble.change.Vigil;
import io.ensemble.growth.Growth;
import io.ensemble.growth.GrowthRules;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The vigils that one process keeps, one for each cache with a change, be it of its configuration
 * or of its parts. Thread-safe.
 */
public final class Vigils {

  private final ChangeRules rules;
  private final GrowthRules growth;
  private final Map<String, Vigil> kept = new HashMap<>(); // this object's lock

  public Vigils(ChangeRules rules, GrowthRules growth) {
    this.rules = rules;
    this.growth = growth;
  }

  /** How many. */
  synchronized int number() {
    return kept.size();
  }

  /** Whether the mover of the change in {@code seen}, if there is one, is silent. */
  public boolean isSilent(StoredDefinition seen, long nowNanos) {
    long silence = seen.change().map(change -> rules.silenceNanos(change.step())).orElse(0L);
    return isSilent(
        seen.definition().name(),
        seen.change().map(Change::sign),
        new Patience(silence, rules.blindNanos()),
        nowNanos);
  }

  /** As the other method, of a change of parts. */
  public boolean isSilent(StoredDistribution seen, long nowNanos) {
    return isSilent(
        seen.definition().name(),
        seen.growth().map(Growth::sign),
        new Patience(growth.silenceNanos(), growth.blindNanos()),
        nowNanos);
  }

  /** For how long a beat must stand, and how far looks at it may be apart. */
  private record Patience(long silenceNanos, long blindNanos) {}

  private synchronized boolean isSilent(
      String cache, Optional<Sign> sign, Patience patience, long nowNanos) {
    if (sign.isEmpty()) {
      kept.remove(cache);
      return false;
    }
    kept.values().removeIf(vigil -> vigil.isStale(nowNanos)); // Of caches that are gone, perhaps.
    return kept.computeIfAbsent(cache, name -> new Vigil(patience.blindNanos()))
        .isSilent(sign.get(), patience.silenceNanos(), nowNanos);
  }
}
