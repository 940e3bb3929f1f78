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

  private final RestContext federation;

  /** The drains that this process works on, with the number of requests for each meanwhile. */
  private final ConcurrentMap<String, Long> here = new ConcurrentHashMap<>();

  public DrainService(RestContext federation) {
    this.federation = federation;
  }

  /**
   * Begins a drain, or continues it. Blocks for the catalog, and for sites while new sites are
   * chosen.
   */
  public Map<String, Object> begin(String site) {
    List<CacheRelocation> leaving = federation.manager().membership().drain(site);
    long asked = here.merge(site, 1L, Long::sum);
    if (asked == 1) {
      next(site, leaving, new HashSet<>(), asked);
    }
    try {
      return shown(site);
    } catch (CatalogException e) {
      // The drain has begun, which the response reports.
      Map<String, Object> shown = head(site, leaving.isEmpty() ? "done" : "running");
      shown.put("caches", leaving.stream().map(CacheRelocation::cache).toList());
      return shown;
    }
  }

  /**
   * Ends the drain, so that the site serves again; a move in progress continues. Returns whether
   * the site was being drained.
   */
  boolean cancel(String site) {
    boolean drained = known(site).state() == SiteEntry.State.DRAINING;
    if (drained) {
      federation.manager().membership().serve(site);
    }
    return drained;
  }

  /**
   * @throws io.ensemble.rest.http.ProblemException unless the site is being drained, or was
   */
  void checkBegun(String site) {
    if (known(site).state() != SiteEntry.State.DRAINING) {
      throw Problem.of(ProblemType.CONFLICT, "the site is serving: drain it first; site=" + site);
    }
  }

  private SiteEntry known(String site) {
    return federation
        .manager()
        .membership()
        .entry(site)
        .orElseThrow(() -> Problem.notFound("site", site));
  }

  private static Map<String, Object> head(String site, String state) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", OperationId.drain(site));
    shown.put("kind", "drain");
    shown.put("site", site);
    shown.put("state", state);
    return shown;
  }

  /**
   * Moves the first cache that has not been tried, and then the next.
   *
   * @param asked the number of requests for the drain at the beginning of this round; each later
   *     request requires another round, in which every cache is tried again
   */
  private void next(String site, List<CacheRelocation> leaving, Set<String> tried, long asked) {
    Optional<CacheRelocation> first =
        leaving.stream()
            .filter(one -> one.stays().isEmpty() && !tried.contains(one.cache()))
            .findFirst();
    if (first.isEmpty()) {
      end(site, asked);
      return;
    }
    CacheRelocation departure = first.get();
    tried.add(departure.cache());
    try {
      ChangeRun run = federation.manager().membership().move(departure);
      run.done()
          .whenComplete(
              (stored, failure) -> {
                if (failure != null) {
                  told(site, departure.cache(), failure);
                }
                again(site, tried, asked);
              });
    } catch (RuntimeException e) {
      told(site, departure.cache(), e);
      again(site, tried, asked);
    }
  }

  /** Ends a round, and begins another if there was a request for the drain meanwhile. */
  private void end(String site, long asked) {
    if (!here.remove(site, asked)) {
      again(site, new HashSet<>(), here.getOrDefault(site, asked));
    }
  }

  private void again(String site, Set<String> tried, long asked) {
    try {
      federation
          .workers()
          .run(
              () -> {
                try {
                  next(site, federation.manager().membership().leaving(site), tried, asked);
                } catch (RuntimeException e) {
                  LOG.warn("this process stops the drain of a site; site={}", site, e);
                  end(site, asked);
                }
              });
    } catch (RejectedExecutionException busy) {
      here.remove(site); // The next request for the drain continues it.
      LOG.warn(
          "this process stops the drain of a site, because too many tasks are in progress; "
              + "site={}",
          site);
    }
  }

  private static void told(String site, String cache, Throwable failure) {
    LOG.warn(
        "a cache was not moved; site={} cache={}: {}",
        site,
        cache,
        ProblemMapper.problem(failure).detail());
  }

  /** The progress, from the catalog. */
  Map<String, Object> shown(String site) {
    SiteUsage use =
        federation.manager().membership().sites().stream()
            .filter(one -> one.entry().name().equals(site))
            .findFirst()
            .orElseThrow(() -> Problem.notFound("site", site));
    Map<String, Object> shown = head(site, state(use));
    shown.put("caches", use.caches());
    Set<String> there = Set.copyOf(use.caches());
    List<Object> changes = new ArrayList<>();
    federation.manager().changes().underWay().stream()
        .filter(stored -> there.contains(stored.definition().name()))
        .forEach(stored -> changes.add(OperationView.of(stored)));
    shown.put("changes", changes);
    return shown;
  }

  private static String state(SiteUsage use) {
    if (use.entry().state() == SiteEntry.State.SERVING) {
      return "cancelled";
    }
    return use.caches().isEmpty() ? "done" : "running";
  }
}
