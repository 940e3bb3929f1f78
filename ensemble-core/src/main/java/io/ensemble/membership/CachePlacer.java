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

/** How a manager decides where caches shall be, and what it keeps of that. Thread-safe. */
public record CachePlacer(ManagerContext federation, OpenCaches caches) {

  private static final Logger LOG = LoggerFactory.getLogger(CachePlacer.class);
  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  /** Longer than a look at figures: a site that is merely slow to connect to is not passed over. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

  /** Where the cache of the wish would be placed now. */
  public PlacementResult place(PlacementPolicy wish) {
    Map<String, List<String>> allocations = allocations();
    PlacementResult placed = Placement.place(wish, loads(), allocations);
    List<String> present = allocations.getOrDefault(wish.cache(), List.of());
    // The order stands in definitions; a repeated creation must not ask for another one.
    return new HashSet<>(present).equals(new HashSet<>(placed.sites()))
        ? new PlacementResult(present, placed.verdicts(), placed.notes())
        : placed;
  }

  /**
   * What a placement goes by.
   *
   * @param loads the sites
   * @param allocations where caches are, by name
   */
  record Look(List<SiteLoad> loads, Map<String, List<String>> allocations) {}

  Look look() {
    return new Look(loads(), allocations());
  }

  /**
   * The best site for a cache in the place of the one that it leaves, by what was wished for it.
   *
   * @throws PlacementImpossibleException if there is none
   */
  SiteDecision.Taken instead(String leaving, CacheDefinition cache, Look look) {
    PlacementPolicy wish =
        placement(cache.name())
            .map(StoredPlacement::wish)
            .orElseGet(() -> PlacementPolicy.copies(cache.name(), 1).build());
    PlacementResult placed =
        Placement.instead(leaving, cache.siteNames(), wish, look.loads(), look.allocations());
    return (SiteDecision.Taken) placed.verdicts().get(0);
  }

  /**
   * Refuses sites that nobody knows: a mistyped ban protects nothing. For a new cache only; a wish
   * that was kept may name sites that are gone.
   *
   * @throws UnknownSitesException naming those, and the sites that there are
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
          "sites are banned or preferred that there are not; cache=%s unknown=%s known=%s"
              .formatted(wish.cache(), unknown, known),
          unknown,
          known);
    }
  }

  private ParsedRecords<SiteEntry> sites() {
    return caches.waitFor(() -> federation.definitions().sites().legible(), LONGEST_LOOKUP);
  }

  /** The sites that this manager can use, as the catalog and they themselves tell of them. */
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

  /** What the sites have to do, of those that tell in time. */
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

  /** Keeps why a cache that was just created is where it is. */
  public void keep(PlacementPolicy wish, PlacementResult placed) {
    definition(wish.cache())
        .filter(stored -> stored.definition().siteNames().equals(placed.sites()))
        .map(stored -> StoredPlacement.of(stored.birth(), wish, placed))
        .ifPresent(
            placement ->
                caches.waitFor(
                    () -> federation.definitions().placements().keep(placement), LONGEST_LOOKUP));
  }

  /** What was decided when the cache was created; empty if its sites were given, or it is gone. */
  public Optional<StoredPlacement> placement(String cache) {
    Optional<StoredDefinition> stored = definition(cache);
    return caches
        .waitFor(() -> federation.definitions().placements().get(cache), LONGEST_LOOKUP)
        .filter(kept -> stored.filter(now -> now.birth().equals(kept.birth())).isPresent());
  }

  /** Where the cache is that was created by this very wish; empty if there is none. */
  public List<String> heldBy(PlacementPolicy wish) {
    return placement(wish.cache())
        .filter(kept -> kept.wish().equals(wish))
        .flatMap(kept -> definition(wish.cache()))
        .map(stored -> stored.definition().siteNames())
        .orElse(List.of());
  }

  /** Forgets why a cache that is deleted was where it was. What stays harms nothing. */
  public void forget(StoredDefinition deleted) {
    String cache = deleted.definition().name();
    federation
        .definitions()
        .placements()
        .forget(cache, deleted.birth())
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !(CompletionCause.of(failure) instanceof CatalogException)) {
                LOG.warn("a placement could not be forgotten; cache={}", cache, failure);
              }
            });
  }
}
