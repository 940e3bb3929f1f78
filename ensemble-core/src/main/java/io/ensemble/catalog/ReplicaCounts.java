package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.StageList;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Determines the number of replicas of a strong cache at one or two sites, where one replica at
 * each would not survive the loss of a node: three at a single site, two at each of two. A site of
 * one node holds one. An SWMR cache at two sites has one at each, because it continues at one of
 * them by command.
 */
final class ReplicaCounts {

  private static final int AT_THE_ONLY_SITE = 3;
  private static final int AT_EACH_OF_TWO = 2;

  private ReplicaCounts() {}

  /** Whether the number of replicas is determined here: the definition names only sites. */
  private static boolean isAutomatic(CacheDefinition wanted) {
    return !wanted.hasNumberedReplicas()
        && switch (wanted.mode()) {
          case WEAK -> false;
          case SWMR -> wanted.sites().size() == 1;
          case MWMR -> wanted.sites().size() <= 2;
        };
  }

  /** Whether {@code present} is a result of {@link #counted} for {@code wanted}. */
  static boolean isSatisfiedBy(CacheDefinition wanted, CacheDefinition present) {
    return wanted.equals(present)
        || (isAutomatic(wanted) && wanted.equals(present.at(present.siteNames())));
  }

  /**
   * Returns {@code wanted} with its replicas. Fails with {@link SiteException}: {@link
   * Reason#UNSUITABLE} if a site has too few nodes, or its nodes are not registered one by one.
   *
   * @param present the present definition, if the cache exists: its replicas are not counted again
   * @param probes returns names for stores that are created and removed again
   */
  static CompletionStage<CacheDefinition> counted(
      CacheDefinition wanted,
      Optional<CacheDefinition> present,
      SiteDirectory sites,
      Supplier<String> probes,
      Deadline deadline) {
    if (present.filter(now -> isSatisfiedBy(wanted, now)).isPresent()) {
      return CompletableFuture.completedFuture(present.get());
    }
    if (!isAutomatic(wanted)) {
      return CompletableFuture.completedFuture(wanted);
    }
    List<CompletionStage<Integer>> nodes = new ArrayList<>();
    for (String name : wanted.sites()) {
      Site site = sites.find(name).orElseThrow(() -> sites.unknown(name));
      nodes.add(
          deadline.asking(
              name,
              wanted.name(),
              "count_nodes",
              true,
              () -> site.countNodes(probes.get(), deadline)));
    }
    return StageList.all(nodes).thenApply(counts -> wanted.at(assign(wanted, counts)));
  }

  private static List<String> assign(CacheDefinition wanted, List<Integer> nodes) {
    List<String> sites = wanted.sites();
    boolean isAlone = sites.size() == 1;
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (int i = 0; i < sites.size(); i++) {
      int there = nodes.get(i);
      if (isAlone && there == 2) {
        throw new SiteException(
            sites.get(i),
            Reason.UNSUITABLE,
            "a strong cache at one site needs a site of 3 nodes or more, or of exactly 1; the site "
                + "has 2 nodes: add a node, or use more sites; cache="
                + wanted.name()
                + " mode="
                + wanted.mode().name().toLowerCase(Locale.ROOT));
      }
      counts.put(sites.get(i), Math.min(there, isAlone ? AT_THE_ONLY_SITE : AT_EACH_OF_TWO));
    }
    return ReplicaName.ofCounts(counts);
  }

  /** A name for a store of {@code wanted} that is created and removed again. */
  static String probe(CacheDefinition wanted, String birth, String token) {
    String first = wanted.sites().get(0);
    return StoredDefinition.first(wanted, birth, Map.of(first, token)).store(first).orElseThrow();
  }
}
