package io.ensemble.rest.resource.federation;

import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.membership.SiteHealth;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.rest.events.FederationSnapshot;
import io.ensemble.rest.events.SnapshotSection;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.resource.cache.CacheView;
import io.ensemble.rest.resource.cache.RedundancyView;
import io.ensemble.rest.resource.cache.TermPoller;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.operation.OperationId;
import io.ensemble.rest.resource.operation.OperationView;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Takes snapshots of the federation. Sites, caches and changes come from the catalog, with one read
 * for each kind. Health, latency, lag, terms and unknown outcomes come from this process's own
 * calls and measurements. While the catalog cannot be read, the last content remains, and the
 * snapshot says so. One thread at a time.
 */
public final class FederationObserver {

  private final RestContext federation;
  private final MeterReader meterReader;
  private final TermPoller terms;
  private Catalogued last = Catalogued.NONE;

  private record Catalogued(
      List<SiteEntry> sites,
      Map<String, StoredDefinition> stored,
      Map<String, DistributedDefinition> distributed,
      Map<String, Map<String, Object>> growing,
      Set<String> unreadable) {

    static final Catalogued NONE =
        new Catalogued(List.of(), Map.of(), Map.of(), Map.of(), Set.of());
  }

  public FederationObserver(RestContext federation, MeterRegistry registry) {
    this.federation = federation;
    this.meterReader = new MeterReader(registry);
    this.terms =
        new TermPoller(
            federation.manager()::primaryTerm, federation.workers()::run, System::nanoTime);
  }

  /** The present snapshot. Blocks for the catalog; never fails. */
  public synchronized FederationSnapshot look() {
    Map<SnapshotSection, Map<String, Map<String, Object>>> all =
        new EnumMap<>(SnapshotSection.class);
    Map<String, Object> catalog = new LinkedHashMap<>();
    try {
      last = read();
      catalog.put("readable", true);
      if (!last.unreadable().isEmpty()) {
        catalog.put("unreadable", last.unreadable());
      }
    } catch (CatalogException | IllegalStateException e) {
      catalog.put("readable", false);
      catalog.put("problem", ProblemMapper.problem(e).type().uri());
    }
    all.put(SnapshotSection.CATALOG, Map.of("catalog", catalog));
    List<SiteHealth> health = federation.manager().membership().health();
    all.put(SnapshotSection.SITES, sites());
    all.put(SnapshotSection.HEALTH, health(health));
    all.put(SnapshotSection.CACHES, caches());
    all.put(SnapshotSection.OPERATIONS, operations());
    all.put(SnapshotSection.LATENCY, meterReader.latency());
    all.put(SnapshotSection.UNKNOWN, meterReader.unknown());
    all.put(SnapshotSection.LAG, meterReader.lag());
    all.put(SnapshotSection.TERMS, terms.look(last.stored().values(), meterReader.terms()));
    return new FederationSnapshot(all);
  }

  private Catalogued read() {
    EnsembleCacheManager manager = federation.manager();
    List<SiteEntry> sites = manager.membership().entries();
    Map<String, StoredDefinition> stored = new TreeMap<>();
    Map<String, DistributedDefinition> distributed = new TreeMap<>();
    Inventory caches = manager.inventory();
    caches.caches().forEach(one -> stored.put(one.definition().name(), one));
    caches.distributed().forEach(one -> distributed.put(one.definition().name(), one.definition()));
    Map<String, Map<String, Object>> growing = new TreeMap<>();
    if (!distributed.isEmpty()) {
      manager
          .parts()
          .underWay()
          .forEach(one -> growing.put(OperationId.of(one).text(), OperationView.of(one)));
    }
    return new Catalogued(sites, stored, distributed, growing, caches.unreadable().keySet());
  }

  private Map<String, Map<String, Object>> sites() {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (SiteEntry entry : last.sites()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("name", entry.name());
      shown.put("nodes", entry.endpoints().stream().map(Object::toString).toList());
      shown.put("state", lower(entry.state()));
      shown.put("storage", lower(entry.storage()));
      shown.put("labels", entry.labels());
      shown.put("caches", List.copyOf(at(entry.name())));
      all.put(entry.name(), shown);
    }
    return all;
  }

  /** The caches at a site, including those that a change moves there. */
  private Set<String> at(String site) {
    Set<String> there = new TreeSet<>();
    last.stored()
        .forEach(
            (name, stored) -> {
              boolean comes =
                  stored.change().stream()
                      .filter(change -> !change.isEnding())
                      .map(ConfigurationChange::to)
                      .anyMatch(to -> to.isAtSite(site));
              if (comes || stored.definition().isAtSite(site)) {
                there.add(name);
              }
            });
    return there;
  }

  private static Map<String, Map<String, Object>> health(List<SiteHealth> health) {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (SiteHealth one : health) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("state", lower(one.state()));
      if (one.state() != SuspicionLevel.State.REACHABLE) {
        shown.put("phi", Math.round(one.phi()));
        shown.put("silentMillis", one.silent().toMillis());
      }
      all.put(one.site(), shown);
    }
    return all;
  }

  private Map<String, Map<String, Object>> caches() {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    Map<String, CacheRedundancy> known = new TreeMap<>();
    last.stored()
        .forEach(
            (name, stored) -> {
              CacheRedundancy redundancy = federation.manager().redundancyOf(stored);
              known.put(name, redundancy);
              Map<String, Object> shown = CacheView.of(stored, redundancy);
              shown.putAll(RedundancyView.summary(redundancy));
              all.put(name, shown);
            });
    last.distributed()
        .forEach(
            (name, cache) -> {
              Map<String, Object> shown = CacheView.of(cache);
              worstPart(cache, known, new TreeSet<>())
                  .ifPresent(worst -> shown.putAll(RedundancyView.summary(worst)));
              all.put(name, shown);
            });
    return all;
  }

  /** The redundancy of the worst part; empty while a part is missing. */
  private Optional<CacheRedundancy> worstPart(
      DistributedDefinition cache, Map<String, CacheRedundancy> known, Set<String> met) {
    List<CacheRedundancy> parts = new ArrayList<>();
    for (String part : cache.parts()) {
      CacheRedundancy stored = known.get(part);
      DistributedDefinition parted = last.distributed().get(part);
      Optional<CacheRedundancy> one = Optional.ofNullable(stored);
      if (stored == null && parted != null && met.add(part)) {
        one = worstPart(parted, known, met);
      }
      if (one.isEmpty()) {
        return one;
      }
      parts.add(one.get());
    }
    return RedundancyView.worst(parts);
  }

  private Map<String, Map<String, Object>> operations() {
    Map<String, Map<String, Object>> all = new TreeMap<>(last.growing());
    for (StoredDefinition stored : last.stored().values()) {
      if (stored.change().isPresent()) {
        all.put(OperationId.of(stored).text(), OperationView.of(stored));
      }
    }
    for (SiteEntry entry : last.sites()) {
      if (entry.state() == SiteEntry.State.DRAINING) {
        Set<String> there = at(entry.name());
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", OperationId.drain(entry.name()));
        shown.put("kind", "drain");
        shown.put("site", entry.name());
        shown.put("state", there.isEmpty() ? "done" : "running");
        shown.put("caches", List.copyOf(there));
        all.put(OperationId.drain(entry.name()), shown);
      }
    }
    return all;
  }

  private static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
