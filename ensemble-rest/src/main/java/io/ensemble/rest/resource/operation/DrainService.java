package io.ensemble.rest.resource.operation;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.membership.SiteUsage;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.resource.context.RestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves caches away from sites, one after another. The catalog records that a site is being
 * drained. This object stores only the drains that this process works on. If this process dies,
 * another process, or one with maintenance, continues.
 */
public final class DrainService {

  private static final Logger LOG = LoggerFactory.getLogger(DrainService.class);

  private final RestContext context;

  /** The drains that this process works on, with the number of requests for each meanwhile. */
  private final ConcurrentMap<String, Long> requestsBySite = new ConcurrentHashMap<>();

  public DrainService(RestContext context) {
    this.context = context;
  }

  /**
   * Begins a drain, or continues it. Blocks for the catalog, and for sites while new sites are
   * chosen.
   */
  public Map<String, Object> begin(String site) {
    List<CacheRelocation> relocations = context.manager().membership().drain(site);
    long requestCount = requestsBySite.merge(site, 1L, Long::sum);
    if (requestCount == 1) {
      moveNext(site, relocations, new HashSet<>(), requestCount);
    }
    try {
      return describe(site);
    } catch (CatalogException e) {
      // The drain has begun, which the response reports.
      Map<String, Object> document = createHead(site, relocations.isEmpty() ? "done" : "running");
      document.put("caches", relocations.stream().map(CacheRelocation::cache).toList());
      return document;
    }
  }

  /**
   * Ends the drain, so that the site serves again; a move in progress continues. Returns whether
   * the site was being drained.
   */
  boolean cancel(String site) {
    boolean wasDraining = findSite(site).state() == SiteEntry.State.DRAINING;
    if (wasDraining) {
      context.manager().membership().serve(site);
    }
    return wasDraining;
  }

  /**
   * @throws io.ensemble.rest.http.ProblemException unless the site is being drained, or was
   */
  void checkBegun(String site) {
    if (findSite(site).state() != SiteEntry.State.DRAINING) {
      throw Problem.of(ProblemType.CONFLICT, "the site is serving: drain it first; site=" + site);
    }
  }

  private SiteEntry findSite(String site) {
    return context
        .manager()
        .membership()
        .entry(site)
        .orElseThrow(() -> Problem.notFound("site", site));
  }

  private static Map<String, Object> createHead(String site, String state) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", OperationId.drain(site));
    document.put("kind", "drain");
    document.put("site", site);
    document.put("state", state);
    return document;
  }

  /**
   * Moves the first cache that has not been tried, and then the next.
   *
   * @param requestCount the number of requests for the drain at the beginning of this round; each
   *     later request requires another round, in which every cache is tried again
   */
  private void moveNext(
      String site, List<CacheRelocation> relocations, Set<String> triedCaches, long requestCount) {
    Optional<CacheRelocation> next =
        relocations.stream()
            .filter(
                candidate ->
                    candidate.stays().isEmpty() && !triedCaches.contains(candidate.cache()))
            .findFirst();
    if (next.isEmpty()) {
      finishRound(site, requestCount);
      return;
    }
    CacheRelocation relocation = next.get();
    triedCaches.add(relocation.cache());
    try {
      ChangeRun run = context.manager().membership().move(relocation);
      run.done()
          .whenComplete(
              (stored, failure) -> {
                if (failure != null) {
                  logFailure(site, relocation.cache(), failure);
                }
                continueDrain(site, triedCaches, requestCount);
              });
    } catch (RuntimeException e) {
      logFailure(site, relocation.cache(), e);
      continueDrain(site, triedCaches, requestCount);
    }
  }

  /** Ends a round, and begins another if there was a request for the drain meanwhile. */
  private void finishRound(String site, long requestCount) {
    if (!requestsBySite.remove(site, requestCount)) {
      continueDrain(site, new HashSet<>(), requestsBySite.getOrDefault(site, requestCount));
    }
  }

  private void continueDrain(String site, Set<String> triedCaches, long requestCount) {
    try {
      context
          .workers()
          .run(
              "continueDrain",
              () -> {
                try {
                  moveNext(
                      site,
                      context.manager().membership().leaving(site),
                      triedCaches,
                      requestCount);
                } catch (RuntimeException e) {
                  LOG.warn("this process stops the drain of a site; site={}", site, e);
                  finishRound(site, requestCount);
                }
              });
    } catch (RejectedExecutionException busy) {
      requestsBySite.remove(site); // The next request for the drain continues it.
      LOG.warn(
          "this process stops the drain of a site, because too many tasks are in progress; "
              + "site={}",
          site);
    }
  }

  private static void logFailure(String site, String cache, Throwable failure) {
    LOG.warn(
        "a cache was not moved; site={} cache={}: {}",
        site,
        cache,
        ProblemMapper.problem(failure).detail());
  }

  /** The progress, from the catalog. */
  Map<String, Object> describe(String site) {
    SiteUsage usage =
        context.manager().membership().sites().stream()
            .filter(candidate -> candidate.entry().name().equals(site))
            .findFirst()
            .orElseThrow(() -> Problem.notFound("site", site));
    Map<String, Object> document = createHead(site, state(usage));
    document.put("caches", usage.caches());
    Set<String> cacheNames = Set.copyOf(usage.caches());
    List<Object> changes = new ArrayList<>();
    context.manager().changes().underWay().stream()
        .filter(stored -> cacheNames.contains(stored.definition().name()))
        .forEach(stored -> changes.add(OperationView.of(stored)));
    document.put("changes", changes);
    return document;
  }

  private static String state(SiteUsage usage) {
    if (usage.entry().state() == SiteEntry.State.SERVING) {
      return "cancelled";
    }
    return usage.caches().isEmpty() ? "done" : "running";
  }
}
