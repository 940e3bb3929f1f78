package io.ensemble.migrate;

import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.Vigil;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The vigils that one process keeps, one for each cache with a change. Thread-safe. */
public final class Vigils {

  private final ChangeRules rules;
  private final Map<String, Vigil> kept = new HashMap<>(); // this object's lock

  public Vigils(ChangeRules rules) {
    this.rules = rules;
  }

  /** How many. */
  synchronized int number() {
    return kept.size();
  }

  /** Whether the mover of the change in {@code seen}, if there is one, is silent. */
  public synchronized boolean isSilent(StoredDefinition seen, long nowNanos) {
    String cache = seen.definition().name();
    Optional<Change> change = seen.change();
    if (change.isEmpty()) {
      kept.remove(cache);
      return false;
    }
    kept.values().removeIf(vigil -> vigil.isStale(nowNanos)); // Of caches that are gone, perhaps.
    return kept.computeIfAbsent(cache, name -> new Vigil(rules)).isSilent(change.get(), nowNanos);
  }
}
