package io.ensemble;

import io.ensemble.cache.Unwrapped;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.StoredPlacement;
import io.ensemble.placement.Placed;
import io.ensemble.placement.Placement;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.SiteLoad;
import io.ensemble.placement.Wish;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteFigures;
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
record Placing(Federation federation, OpenCaches caches) {

  private static final Logger LOG = LoggerFactory.getLogger(Placing.class);
  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;
  private static final Duration LONGEST_FIGURES = Duration.ofSeconds(2);

  /** Where the cache of the wish would be placed now. */
  Placed place(Wish wish) {
    Map<String, List<String>> allocations = allocations();
    Placed placed = Placement.place(wish, loads(), allocations);
    List<String> present = allocations.getOrDefault(wish.cache(), List.of());
    // The order stands in definitions; a repeated creation must not ask for another one.
    return new HashSet<>(present).equals(new HashSet<>(placed.sites()))
        ? new Placed(present, placed.verdicts(), placed.notes())
        : placed;
  }

  /** The best further site for a cache that is to leave one of its own; empty if there is none. */
  Optional<String> another(CacheDefinition cache) {
    Wish wish =
        placement(cache.name())
            .map(StoredPlacement::wish)
            .orElseGet(() -> Wish.copies(cache.name(), 1).build());
    Set<String> not = new TreeSet<>(wish.banned());
    not.addAll(cache.sites());
    Wish one =
        new Wish(
            cache.name(),
            new Wish.Extent.Copies(1),
            not,
            wish.required(),
            wish.spreadBy(),
            wish.preferred(),
            wish.near(),
            wish.entries());
    try {
      return Optional.of(Placement.place(one, loads(), allocations()).sites().get(0));
    } catch (PlacementImpossibleException none) {
      return Optional.empty();
    }
  }

  /** The sites that this manager can use, as the catalog and they themselves tell of them. */
  private List<SiteLoad> loads() {
    Map<String, SiteEntry> entries = new TreeMap<>();
    caches
        .waitFor(() -> federation.definitions().sites().legible(), LONGEST_LOOKUP)
        .entries()
        .forEach(entry -> entries.put(entry.name(), entry));
    List<SiteLoad> loads = new ArrayList<>();
    Set<String> names = new TreeSet<>(federation.sites().names());
    names.addAll(entries.keySet());
    Map<String, SiteFigures> told = figures(federation, caches, names);
    for (String site : names) {
      SiteEntry entry = entries.get(site);
      SiteFigures figures = told.getOrDefault(site, SiteFigures.UNKNOWN);
      SiteLoad load =
          entry == null
              ? SiteLoad.serving(site, Map.of())
              : SiteLoad.serving(site, entry.labels()).in(state(entry));
      loads.add(load.with(figures.entries(), figures.requestsPerSecond()));
    }
    return loads;
  }

  /** What the sites have to do, of those that tell within two seconds. */
  static Map<String, SiteFigures> figures(
      Federation federation, OpenCaches caches, Set<String> sites) {
    Deadline deadline = Deadline.after(LONGEST_FIGURES, federation.scheduler());
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
        .forEach(cache -> allocations.put(cache.definition().name(), cache.definition().sites()));
    return allocations;
  }

  private Optional<StoredDefinition> definition(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /** Keeps why a cache that was just created is where it is. */
  void keep(Wish wish, Placed placed) {
    definition(wish.cache())
        .filter(stored -> stored.definition().sites().equals(placed.sites()))
        .map(stored -> StoredPlacement.of(stored.birth(), wish, placed))
        .ifPresent(
            placement ->
                caches.waitFor(
                    () -> federation.definitions().placements().keep(placement), LONGEST_LOOKUP));
  }

  /** What was decided when the cache was created; empty if its sites were given, or it is gone. */
  Optional<StoredPlacement> placement(String cache) {
    Optional<StoredDefinition> stored = definition(cache);
    return caches
        .waitFor(() -> federation.definitions().placements().get(cache), LONGEST_LOOKUP)
        .filter(kept -> stored.filter(now -> now.birth().equals(kept.birth())).isPresent());
  }

  /** Where the cache is that was created by this very wish; empty if there is none. */
  List<String> heldBy(Wish wish) {
    return placement(wish.cache())
        .filter(kept -> kept.wish().equals(wish))
        .flatMap(kept -> definition(wish.cache()))
        .map(stored -> stored.definition().sites())
        .orElse(List.of());
  }

  /** Forgets why a cache that is deleted was where it was. What stays harms nothing. */
  void forget(StoredDefinition deleted) {
    String cache = deleted.definition().name();
    federation
        .definitions()
        .placements()
        .forget(cache, deleted.birth())
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !(Unwrapped.of(failure) instanceof CatalogException)) {
                LOG.warn("a placement could not be forgotten; cache={}", cache, failure);
              }
            });
  }
}
