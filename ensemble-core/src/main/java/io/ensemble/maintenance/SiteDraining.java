package io.ensemble.maintenance;

import io.ensemble.SiteInUseException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.reconfiguration.LostStoreDetector;
import io.ensemble.site.SiteException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves caches away from a site that is being drained, one at a time. If the new stores of a change
 * are lost, so that the change can no longer end, other caches are still moved. A site that is
 * starting has no stores for a while; its caches are waited for. For one thread, which may block.
 */
final class SiteDraining {

  private static final Logger LOG = LoggerFactory.getLogger(SiteDraining.class);

  private final SiteMaintenance.Means means;
  private final String name;
  private final Set<String> lostCaches = new TreeSet<>();
  private final Set<String> loggedCaches = new TreeSet<>();
  private @Nullable LostStoreDetector lostStoreDetector;
  private String lastRefusal = "";

  SiteDraining(SiteMaintenance.Means means, String name) {
    this.means = means;
    this.name = name;
  }

  /** Continues the drain that an operator began, unless another change is in progress. */
  void drain(SiteEntry entry, List<StoredDefinition> all) {
    if (entry.state() != SiteEntry.State.DRAINING) {
      return;
    }
    List<StoredDefinition> moving = all.stream().filter(SiteDraining::isMoving).toList();
    Set<String> currentlyLost = findLost(moving);
    if (moving.size() > currentlyLost.size()) {
      return;
    }
    String refusal = "";
    try { // The entry is as old as this pass; the drain may have been cancelled since.
      for (CacheRelocation relocation : means.exit().leaving(name)) {
        if (relocation.stays().isEmpty()
            && !currentlyLost.contains(relocation.cache())
            && moveCache(relocation)) {
          break;
        }
      }
    } catch (SiteInUseException exception) {
      refusal = String.valueOf(exception.getMessage());
      if (!refusal.equals(lastRefusal)) {
        LOG.warn("a site cannot be drained now; {}", refusal);
      }
    }
    lastRefusal = refusal;
  }

  /**
   * Begins to move a cache. Returns false if a site refuses the move; then another cache is moved
   * first.
   */
  private boolean moveCache(CacheRelocation cacheRelocation) {
    try {
      means.exit().move(cacheRelocation, 0);
      return true;
    } catch (SiteException exception) {
      if (loggedCaches.add(cacheRelocation.cache())) {
        LOG.warn(
            "a cache cannot be moved away from a site now; site={} cache={}",
            name,
            cacheRelocation.cache(),
            exception);
      }
      return false;
    }
  }

  private Set<String> findLost(List<StoredDefinition> moving) {
    LostStoreDetector detector =
        lostStoreDetector == null ? means.alterations().lostStoreDetector() : lostStoreDetector;
    lostStoreDetector = detector;
    Set<String> names = names(moving.stream());
    detector.retain(names);
    loggedCaches.retainAll(names);
    Set<String> currentlyLost =
        names(moving.stream().filter(cache -> detector.check(cache).isConfirmed()));
    recordLost(currentlyLost);
    return currentlyLost;
  }

  private static Set<String> names(Stream<StoredDefinition> caches) {
    return caches
        .map(cache -> cache.definition().name())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Logs lost stores once for each change, even if its stores disappear repeatedly. */
  private void recordLost(Set<String> currentlyLost) {
    currentlyLost.stream()
        .filter(loggedCaches::add)
        .forEach(
            cache ->
                LOG.warn(
                    "a cache lost its new stores during lazy migration, its change cannot end; the "
                        + "drain continues with other caches; site={} cache={}",
                    name,
                    cache));
    lostCaches.clear();
    lostCaches.addAll(currentlyLost);
  }

  /**
   * Whether a change still moves the cache. A change that is ending does not count: its remaining
   * stores may be at a site that stays unreachable permanently.
   */
  private static boolean isMoving(StoredDefinition cache) {
    return cache.change().filter(change -> !change.isEnding()).isPresent();
  }

  /** The activity for the notes of the task: which cache is being moved. */
  String describeActivity(SiteEntry entry, List<StoredDefinition> all) {
    return all.stream()
        .filter(cache -> entry.state() == SiteEntry.State.DRAINING)
        .filter(cache -> isMoving(cache) && cache.definition().isAtSite(name))
        .filter(cache -> !lostCaches.contains(cache.definition().name()))
        .findFirst()
        .map(cache -> "moving " + cache.definition().name())
        .orElse("");
  }
}
