package io.ensemble.distribution;

import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.manager.OpenCaches;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Finds the distributed caches that have a part, or are to receive it. Blocks. Thread-safe. */
public record PartUsers(DistributedDefinitions distributions, OpenCaches caches) {

  /** The names of those that have the part and satisfy {@code which}. */
  public List<String> of(String part, Predicate<StoredDistribution> which) {
    return ofAny(Set.of(part), which);
  }

  /** The names of those that have one of the parts and satisfy {@code which}. */
  List<String> ofAny(Set<String> parts, Predicate<StoredDistribution> which) {
    return caches.waitFor(distributions::list, OpenCaches.LONGEST_LOOKUP).stream()
        .filter(
            name ->
                caches
                    .waitFor(() -> distributions.get(name), OpenCaches.LONGEST_LOOKUP)
                    .filter(which)
                    .filter(stored -> !Collections.disjoint(DistributionRules.parts(stored), parts))
                    .isPresent())
        .toList();
  }
}
