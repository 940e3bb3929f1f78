package io.ensemble.cli.doctor;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.OwnerLiveness;
import io.ensemble.check.doctor.ChangeFindings;
import io.ensemble.check.doctor.ChangeFindings.MoverState;
import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.RedundancyFindings;
import io.ensemble.redundancy.CacheRedundancy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The redundancy of caches, and changes that have not ended. Only reads. */
record CacheChecks(EnsembleCacheManager manager) {

  /** A mover that is silent for three leases counts as dead. */
  private static final Duration WATCH = Duration.ofSeconds(7);

  /** A change as the catalog has it. */
  private record OpenChange(OwnerLiveness sign, String step, List<String> lost) {}

  Finding redundancy(String cache) {
    CacheRedundancy redundancy = manager.checkRedundancy(cache);
    return RedundancyFindings.of(
        cache,
        redundancy.asked(),
        redundancy.needed(),
        redundancy.missing().stream()
            .collect(
                Collectors.toMap(
                    CacheRedundancy.Replica::name, replica -> replica.state().reason())));
  }

  /** Watches the heartbeats of movers. */
  List<Finding> changes() {
    Map<String, OpenChange> open = open(true);
    if (open.isEmpty()) {
      return List.of(ChangeFindings.none());
    }
    Set<String> alive = new HashSet<>();
    open.forEach(
        (cache, change) -> {
          if (change.sign().isNobodys()) {
            alive.add(cache); // Nothing to wait for.
          }
        });
    BoundedChecks.watch(
        () -> {
          Map<String, OpenChange> now = open(false);
          open.forEach(
              (cache, before) -> {
                OpenChange present = now.get(cache);
                if (present == null || !present.sign().equals(before.sign())) {
                  alive.add(cache);
                }
              });
          return alive.containsAll(open.keySet());
        },
        WATCH);
    List<Finding> findings = new ArrayList<>();
    open.forEach(
        (cache, change) ->
            findings.add(
                ChangeFindings.of(
                    cache, change.step(), state(change, alive, cache), change.lost())));
    return findings;
  }

  private static MoverState state(OpenChange change, Set<String> alive, String cache) {
    if (change.sign().isNobodys()) {
      return MoverState.NONE;
    }
    return alive.contains(cache) ? MoverState.ALIVE : MoverState.SILENT;
  }

  private Map<String, OpenChange> open(boolean withLosses) {
    Map<String, OpenChange> open = new TreeMap<>();
    for (StoredDefinition stored : manager.changes().underWay()) {
      stored
          .change()
          .ifPresent(
              change ->
                  open.put(
                      stored.definition().name(),
                      new OpenChange(
                          change.sign(),
                          "%s, %,d keys".formatted(lower(change.step()), change.beat().copied()),
                          withLosses
                              ? List.copyOf(manager.changes().lostStores(stored))
                              : List.of())));
    }
    for (StoredDistribution stored : manager.parts().underWay()) {
      stored
          .growth()
          .ifPresent(
              growth ->
                  open.put(
                      stored.definition().name(),
                      new OpenChange(
                          growth.sign(),
                          "parts: %s, %,d keys"
                              .formatted(lower(growth.step()), growth.beat().copied()),
                          List.of())));
    }
    return open;
  }

  private static String lower(Enum<?> step) {
    return step.name().toLowerCase(Locale.ROOT);
  }
}
