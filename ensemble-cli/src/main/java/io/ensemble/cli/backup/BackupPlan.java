package io.ensemble.cli.backup;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogIds;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The caches that a backup copies. Caches that cannot be copied are refused by name before anything
 * is written.
 *
 * @param federation the identity of the catalog; empty if there is no cache
 * @param distributed the distributed caches without shards; each after those that are its parts
 */
record BackupPlan(
    String federation, List<PlannedCache> caches, List<DistributionBackup> distributed) {

  /**
   * A cache that is copied.
   *
   * @param creation identifies this creation of a cache of that name
   * @param definition of the cache, or of its shards
   * @param shards their number; 0 for a cache without shards
   */
  record PlannedCache(String name, String creation, CacheDefinition definition, int shards) {}

  /**
   * Chooses the caches.
   *
   * @param selection their names; empty for all. A distributed cache stands for its parts too
   * @throws CommandException if a cache does not exist or cannot be copied; the message names it,
   *     and the remedy
   */
  static BackupPlan of(Inventory inventory, List<String> selection, List<String> excluded) {
    if (!inventory.unreadable().isEmpty()) {
      throw new CommandException(
          "the catalog has records that cannot be read: " + inventory.unreadable().keySet());
    }
    Map<String, StoredDefinition> stored = new TreeMap<>();
    inventory.caches().forEach(one -> stored.put(one.definition().name(), one.served()));
    Map<String, StoredDistribution> distributions = new TreeMap<>();
    inventory.distributed().forEach(one -> distributions.put(one.definition().name(), one));
    Set<String> shards = new HashSet<>();
    distributions.values().forEach(one -> shards.addAll(one.shards()));

    Set<String> known = new TreeSet<>(stored.keySet());
    known.removeAll(shards);
    known.addAll(distributions.keySet());
    requireKnown(known, selection);
    requireKnown(known, excluded);
    Set<String> wanted = new LinkedHashSet<>();
    (selection.isEmpty() ? List.copyOf(known) : selection)
        .forEach(name -> add(name, distributions, excluded, wanted));

    List<String> refusals = new ArrayList<>();
    List<PlannedCache> caches = new ArrayList<>();
    List<DistributionBackup> distributed = new ArrayList<>();
    for (String name : wanted) {
      StoredDistribution distribution = distributions.get(name);
      if (distribution == null) {
        StoredDefinition one = stored.get(name);
        if (one == null) {
          refusals.add("'%s' is missing, and a distributed cache needs it".formatted(name));
          continue;
        }
        caches.add(planned(one.definition(), one.birth(), 0, refusals));
      } else if (distribution.growth().isPresent()) {
        refusals.add("the parts of '%s' are being changed".formatted(name));
      } else if (distribution.shards().isEmpty()) {
        distributed.add(distribution(distribution));
        refuseWithoutParts(distribution, wanted, refusals);
      } else {
        List<String> all = distribution.shards();
        StoredDefinition first = stored.get(all.get(0));
        if (first == null) {
          refusals.add("a shard of '%s' is missing".formatted(name));
        } else {
          caches.add(
              planned(first.definition().named(name), distribution.birth(), all.size(), refusals));
        }
      }
    }
    if (!refusals.isEmpty()) {
      throw new CommandException(
          "cannot copy: %s; leave them out with --exclude NAME"
              .formatted(String.join("; ", refusals)));
    }
    String federation =
        stored.values().stream()
            .findFirst()
            .map(one -> one.birth().substring(0, CatalogIds.LENGTH))
            .orElse("");
    return new BackupPlan(federation, List.copyOf(caches), List.copyOf(distributed));
  }

  private static void requireKnown(Set<String> known, List<String> names) {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new CommandException(
            ExitCode.USAGE,
            "there is no cache '%s' that can be copied by itself; there are %s"
                .formatted(name, known));
      }
    }
  }

  /** Adds a cache after its parts. */
  private static void add(
      String name,
      Map<String, StoredDistribution> distributions,
      List<String> excluded,
      Set<String> wanted) {
    if (excluded.contains(name) || wanted.contains(name)) {
      return;
    }
    StoredDistribution distribution = distributions.get(name);
    if (distribution != null && distribution.shards().isEmpty()) {
      distribution.definition().parts().forEach(part -> add(part, distributions, excluded, wanted));
    }
    wanted.add(name);
  }

  private static PlannedCache planned(
      CacheDefinition definition, String creation, int shards, List<String> refusals) {
    if (definition.privacy().isPrivate()) {
      refusals.add(
          "'%s' is private, and its encrypted values are bound to it".formatted(definition.name()));
    }
    if (definition.keepsSiblings()) {
      refusals.add("'%s' keeps siblings".formatted(definition.name()));
    }
    return new PlannedCache(definition.name(), creation, definition, shards);
  }

  private static void refuseWithoutParts(
      StoredDistribution distribution, Set<String> wanted, List<String> refusals) {
    for (String part : distribution.definition().parts()) {
      if (!wanted.contains(part)) {
        refusals.add(
            "'%s' needs its part '%s', which is excluded"
                .formatted(distribution.definition().name(), part));
      }
    }
  }

  private static DistributionBackup distribution(StoredDistribution stored) {
    return new DistributionBackup(
        stored.definition().name(),
        stored.definition().parts(),
        stored.definition().partitioner().name(),
        stored.definition().partitioner().settings(),
        stored.definition().frontier());
  }
}
