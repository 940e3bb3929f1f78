package io.ensemble.membership;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.UnknownSitesException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.ParsedRecords;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.placement.Placement;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import io.ensemble.placement.SiteDecision;
import io.ensemble.placement.SiteLoad;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the sites of caches for a manager, and records the decisions. Thread-safe. */
public record CachePlacer(ManagerContext federation, OpenCaches caches) {

  private static final Logger LOG = LoggerFactory.getLogger(CachePlacer.class);
  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  /**
   * Longer than the timeout for statistics, so that a site that is merely slow to connect is not
   * skipped.
   */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

  /** Computes where the cache of the policy would be placed now. */
  public PlacementResult place(PlacementPolicy wish) {
    Map<String, List<String>> allocations = allocations();
    PlacementResult placed = Placement.place(wish, loads(), allocations);
    List<String> present = allocations.getOrDefault(wish.cache(), List.of());
    // The order of sites is part of the definition; a repeated creation must not request another
    // one.
    return new HashSet<>(present).equals(new HashSet<>(placed.sites()))
        ? new PlacementResult(present, placed.verdicts(), placed.notes())
        : placed;
  }

  /**
   * The input of a placement.
   *
   * @param loads the sites
   * @param allocations the sites of caches, by the caches' names
   */
  record PlacementInput(List<SiteLoad> loads, Map<String, List<String>> allocations) {}

  PlacementInput look() {
    return new PlacementInput(loads(), allocations());
  }

  /**
   * The best replacement for a site that a cache leaves, by the placement policy of the cache.
   *
   * @throws PlacementImpossibleException if there is none
   */
  SiteDecision.ChosenSite instead(String leaving, CacheDefinition cache, PlacementInput input) {
    PlacementPolicy wish =
        placement(cache.name())
            .map(StoredPlacement::wish)
            .orElseGet(() -> PlacementPolicy.copies(cache.name(), 1).build());
    PlacementResult placed =
        Placement.instead(leaving, cache.siteNames(), wish, input.loads(), input.allocations());
    return (SiteDecision.ChosenSite) placed.verdicts().get(0);
  }

  /**
   * Rejects unknown sites: a mistyped ban protects nothing. For a new cache only, because a
   * recorded policy may name sites that are gone.
   *
   * @throws UnknownSitesException naming these, and the existing sites
   */
  public void checkNames(PlacementPolicy wish) {
    Set<String> known = new TreeSet<>(federation.sites().names());
    ParsedRecords<SiteEntry> sites = sites();
    sites.entries().forEach(entry -> known.add(entry.name()));
    known.addAll(sites.unreadable().keySet());
    Set<String> unknown = new TreeSet<>(wish.banned());
    unknown.addAll(wish.preferred());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new UnknownSitesException(
          "banned or preferred sites do not exist; cache=%s unknown=%s known=%s"
              .formatted(wish.cache(), unknown, known),
          unknown,
          known);
    }
  }

  private ParsedRecords<SiteEntry> sites() {
    return caches.waitFor(() -> federation.definitions().sites().legible(), LONGEST_LOOKUP);
  }

  /**
   * The sites that this manager can use, by their entries in the catalog and their own statistics.
   */
  private List<SiteLoad> loads() {
    Map<String, SiteEntry> entries = new TreeMap<>();
    sites().entries().forEach(entry -> entries.put(entry.name(), entry));
    List<SiteLoad> loads = new ArrayList<>();
    Set<String> names = new TreeSet<>(federation.sites().names());
    names.addAll(entries.keySet());
    Map<String, SiteStatistics> told = figures(federation, caches, names, LONGEST_ANSWER);
    for (String site : names) {
      SiteStatistics figures = told.getOrDefault(site, SiteStatistics.UNKNOWN);
      SiteLoad load =
          described(site, Optional.ofNullable(entries.get(site)))
              .with(figures.entries(), figures.requestsPerSecond());
      loads.add(told.containsKey(site) && isReachable(site) ? load : load.silent());
    }
    return loads;
  }

  private static SiteLoad described(String site, Optional<SiteEntry> known) {
    if (known.isEmpty()) {
      return SiteLoad.serving(site, Map.of());
    }
    SiteEntry entry = known.get();
    SiteLoad load = SiteLoad.serving(site, entry.labels()).in(state(entry));
    return entry.storage() == SiteStorage.DISK ? load.withDisk() : load;
  }

  private boolean isReachable(String site) {
    return federation
        .sites()
        .find(site)
        .filter(found -> found.health().state() == SuspicionLevel.State.REACHABLE)
        .isPresent();
  }

  /** The load of the sites that answer in time. */
  public static Map<String, SiteStatistics> figures(
      ManagerContext federation, OpenCaches caches, Set<String> sites, Duration longest) {
    Deadline deadline = Deadline.after(longest, federation.scheduler());
    return caches.waitFor(() -> federation.sites().figures(sites, deadline), LONGEST_LOOKUP);
  }

  private static SiteLoad.State state(SiteEntry entry) {
    return switch (entry.state()) {
      case SERVING -> SiteLoad.State.SERVING;
      case DRAINING -> SiteLoad.State.DRAINING;
    };
  }

  private Map<String, List<String>> allocations() {
    Map<String, List<String>> allocations = new TreeMap<>();
    caches
        .waitFor(federation.definitions()::inventory, LONGEST_LOOKUP)
        .caches()
        .forEach(
            cache -> allocations.put(cache.definition().name(), cache.definition().siteNames()));
    return allocations;
  }

  private Optional<StoredDefinition> definition(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /** Records the reasons for the placement of a cache that was just created. */
  public void keep(PlacementPolicy wish, PlacementResult placed) {
    definition(wish.cache())
        .filter(stored -> stored.definition().siteNames().equals(placed.sites()))
        .map(stored -> StoredPlacement.of(stored.birth(), wish, placed))
        .ifPresent(
            placement ->
                caches.waitFor(
                    () -> federation.definitions().placements().keep(placement), LONGEST_LOOKUP));
  }

  /**
   * The decision that was recorded when the cache was created; empty if its sites were given, or if
   * it is gone.
   */
  public Optional<StoredPlacement> placement(String cache) {
    Optional<StoredDefinition> stored = definition(cache);
    return caches
        .waitFor(() -> federation.definitions().placements().get(cache), LONGEST_LOOKUP)
        .filter(kept -> stored.filter(now -> now.birth().equals(kept.birth())).isPresent());
  }

  /** The sites of the cache that was created by an equal policy; empty if there is none. */
  public List<String> heldBy(PlacementPolicy wish) {
    return placement(wish.cache())
        .filter(kept -> kept.wish().equals(wish))
        .flatMap(kept -> definition(wish.cache()))
        .map(stored -> stored.definition().siteNames())
        .orElse(List.of());
  }

  /** Removes the recorded placement of a deleted cache. A record that remains does no harm. */
  public void forget(StoredDefinition deleted) {
    String cache = deleted.definition().name();
    federation
        .definitions()
        .placements()
        .forget(cache, deleted.birth())
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !(CompletionCause.of(failure) instanceof CatalogException)) {
                LOG.warn("the placement record could not be deleted; cache={}", cache, failure);
              }
            });
  }
}
