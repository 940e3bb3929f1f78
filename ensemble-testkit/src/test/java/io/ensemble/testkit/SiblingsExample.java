package io.ensemble.testkit;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.ReconciledCache;
import io.ensemble.Reconciliation;
import io.ensemble.SiblingValues;
import java.util.List;

/** The example of docs/siblings.md, compiled and run as it stands there. */
final class SiblingsExample {

  private SiblingsExample() {}

  static List<String> run(EnsembleCacheManager manager) {
    // example:begin
    ReconciledCache<String, String> carts =
        manager
            .<String, String>createCache(
                CacheDefinition.of("carts", Mode.WEAK).sites("lyon", "oslo").siblings(16).build())
            .reconciled(Reconciliation.merging((one, other) -> one + " and " + other));

    SiblingValues<String> seen = carts.siblings("ada"); // Two users read the same...
    carts.put("ada", "tea", seen.context());
    carts.put("ada", "bread", seen.context()); // ...and neither knows what the other writes.

    String merged = carts.get("ada"); // "tea and bread"; both values are still there
    String resolved = carts.resolve("ada"); // now this one has taken their place
    // example:end
    return List.of(String.valueOf(merged), String.valueOf(resolved));
  }
}
