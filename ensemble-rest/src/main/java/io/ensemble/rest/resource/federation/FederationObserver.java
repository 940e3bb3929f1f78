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
import io.ensemble.rest.resource.operation.ServiceOperations;
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
 * calls and measurements; loads come from the nodes, and cover all clients. While the catalog
 * cannot be read, the last content remains, and the snapshot says so. One thread at a time.
 */
public final class FederationObserver {

  private final RestContext context;
  private final ServiceOperations serviceOperations;
  private final MeterReader meterReader;
  private final TermPoller termPoller;
  private final LoadPoller loadPoller;
  private Catalogued catalogState = Catalogued.NONE;

  private record Catalogued(
      List<SiteEntry> sites,
      Map<String, StoredDefinition> stored,
      Map<String, DistributedDefinition> distributed,
      Map<String, Map<String, Object>> repartitions,
      Set<String> unreadable) {

    static final Catalogued NONE =
        new Catalogued(List.of(), Map.of(), Map.of(), Map.of(), Set.of());
  }

  public FederationObserver(
      RestContext context, ServiceOperations serviceOperations, MeterRegistry registry) {
    this.context = context;
    this.serviceOperations = serviceOperations;
    this.meterReader = new MeterReader(registry);
    this.termPoller =
        new TermPoller(context.manager()::primaryTerm, context.workers()::run, System::nanoTime);
    this.loadPoller =
        new LoadPoller(
            cache -> context.manager().membership().figures(cache),
            () -> context.manager().membership().notes(),
            context.workers()::run,
            System::nanoTime);
  }

  /** The present snapshot. Blocks for the catalog; never fails. */
  public synchronized FederationSnapshot takeSnapshot() {
    Map<SnapshotSection, Map<String, Map<String, Object>>> sections =
        new EnumMap<>(SnapshotSection.class);
    Map<String, Object> catalog = new LinkedHashMap<>();
    try {
      catalogState = readCatalog();
      catalog.put("readable", true);
      if (!catalogState.unreadable().isEmpty()) {
        catalog.put("unreadable", catalogState.unreadable());
      }
    } catch (CatalogException | IllegalStateException e) {
      catalog.put("readable", false);
      catalog.put("problem", ProblemMapper.problem(e).type().uri());
    }
    sections.put(SnapshotSection.CATALOG, Map.of("catalog", catalog));
    List<SiteHealth> health = context.manager().membership().health();
    sections.put(SnapshotSection.SITES, describeSites());
    sections.put(SnapshotSection.HEALTH, describeHealth(health));
    sections.put(SnapshotSection.CACHES, describeCaches());
    sections.put(SnapshotSection.OPERATIONS, describeOperations());
    sections.put(SnapshotSection.LATENCY, meterReader.readLatency());
    sections.put(SnapshotSection.UNKNOWN, meterReader.readUnknownOutcomes());
    sections.put(SnapshotSection.LAG, meterReader.readLag());
    sections.put(
        SnapshotSection.TERMS,
        termPoller.collectTerms(catalogState.stored().values(), meterReader.readTerms()));
    loadPoller.pollIfDue(catalogState.stored());
    sections.put(SnapshotSection.LOAD, loadPoller.describeSites());
    sections.put(SnapshotSection.USAGE, loadPoller.describeCaches());
    sections.put(SnapshotSection.MAINTENANCE, loadPoller.describeMaintenance());
    return new FederationSnapshot(sections);
  }

  private Catalogued readCatalog() {
    EnsembleCacheManager manager = context.manager();
    List<SiteEntry> sites = manager.membership().entries();
    Map<String, StoredDefinition> stored = new TreeMap<>();
    Map<String, DistributedDefinition> distributed = new TreeMap<>();
    Inventory inventory = manager.inventory();
    inventory.caches().forEach(one -> stored.put(one.definition().name(), one));
    inventory
        .distributed()
        .forEach(one -> distributed.put(one.definition().name(), one.definition()));
    Map<String, Map<String, Object>> repartitions = new TreeMap<>();
    if (!distributed.isEmpty()) {
      manager
          .parts()
          .underWay()
          .forEach(one -> repartitions.put(OperationId.of(one).text(), OperationView.of(one)));
    }
    return new Catalogued(
        sites, stored, distributed, repartitions, inventory.unreadable().keySet());
  }

  private Map<String, Map<String, Object>> describeSites() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    for (SiteEntry entry : catalogState.sites()) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("name", entry.name());
      document.put("nodes", entry.endpoints().stream().map(Object::toString).toList());
      document.put("state", toLowerCase(entry.state()));
      document.put("storage", toLowerCase(entry.storage()));
      document.put("labels", entry.labels());
      document.put("caches", List.copyOf(listCachesAt(entry.name())));
      documents.put(entry.name(), document);
    }
    return documents;
  }

  /** The caches at a site, including those that a change moves there. */
  private Set<String> listCachesAt(String site) {
    Set<String> caches = new TreeSet<>();
    catalogState
        .stored()
        .forEach(
            (name, stored) -> {
              boolean isMovingThere =
                  stored.change().stream()
                      .filter(change -> !change.isEnding())
                      .map(ConfigurationChange::to)
                      .anyMatch(to -> to.isAtSite(site));
              if (isMovingThere || stored.definition().isAtSite(site)) {
                caches.add(name);
              }
            });
    return caches;
  }

  private static Map<String, Map<String, Object>> describeHealth(List<SiteHealth> health) {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    for (SiteHealth siteHealth : health) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("state", toLowerCase(siteHealth.state()));
      if (siteHealth.state() != SuspicionLevel.State.REACHABLE) {
        document.put("phi", Math.round(siteHealth.phi()));
        document.put("silentMillis", siteHealth.silent().toMillis());
      }
      documents.put(siteHealth.site(), document);
    }
    return documents;
  }

  private Map<String, Map<String, Object>> describeCaches() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    Map<String, CacheRedundancy> redundancyByCache = new TreeMap<>();
    catalogState
        .stored()
        .forEach(
            (name, stored) -> {
              CacheRedundancy redundancy = context.manager().redundancyOf(stored);
              redundancyByCache.put(name, redundancy);
              Map<String, Object> document = CacheView.of(stored, redundancy);
              document.putAll(RedundancyView.summary(redundancy));
              documents.put(name, document);
            });
    catalogState
        .distributed()
        .forEach(
            (name, cache) -> {
              Map<String, Object> document = CacheView.of(cache);
              findWorstPart(cache, redundancyByCache, new TreeSet<>())
                  .ifPresent(worst -> document.putAll(RedundancyView.summary(worst)));
              documents.put(name, document);
            });
    return documents;
  }

  /** The redundancy of the worst part; empty while a part is missing. */
  private Optional<CacheRedundancy> findWorstPart(
      DistributedDefinition cache,
      Map<String, CacheRedundancy> redundancyByCache,
      Set<String> visited) {
    List<CacheRedundancy> parts = new ArrayList<>();
    for (String part : cache.parts()) {
      CacheRedundancy stored = redundancyByCache.get(part);
      DistributedDefinition nested = catalogState.distributed().get(part);
      Optional<CacheRedundancy> redundancy = Optional.ofNullable(stored);
      if (stored == null && nested != null && visited.add(part)) {
        redundancy = findWorstPart(nested, redundancyByCache, visited);
      }
      if (redundancy.isEmpty()) {
        return redundancy;
      }
      parts.add(redundancy.get());
    }
    return RedundancyView.worst(parts);
  }

  private Map<String, Map<String, Object>> describeOperations() {
    Map<String, Map<String, Object>> documents = new TreeMap<>(catalogState.repartitions());
    documents.putAll(serviceOperations.describeRunning());
    for (StoredDefinition stored : catalogState.stored().values()) {
      if (stored.change().isPresent()) {
        documents.put(OperationId.of(stored).text(), OperationView.of(stored));
      }
    }
    for (SiteEntry entry : catalogState.sites()) {
      if (entry.state() == SiteEntry.State.DRAINING) {
        Set<String> caches = listCachesAt(entry.name());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", OperationId.drain(entry.name()));
        document.put("kind", "drain");
        document.put("site", entry.name());
        document.put("state", caches.isEmpty() ? "done" : "running");
        document.put("caches", List.copyOf(caches));
        documents.put(OperationId.drain(entry.name()), document);
      }
    }
    return documents;
  }

  private static String toLowerCase(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
