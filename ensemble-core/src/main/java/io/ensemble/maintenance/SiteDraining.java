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
  private final Set<String> lost = new TreeSet<>();
  private final Set<String> told = new TreeSet<>();
  private @Nullable LostStoreDetector vigil;
  private String stuck = "";

  SiteDraining(SiteMaintenance.Means means, String name) {
    this.means = means;
    this.name = name;
  }

  /** Continues the drain that an operator began, unless another change is in progress. */
  void attend(SiteEntry entry, List<StoredDefinition> all) {
    if (entry.state() != SiteEntry.State.DRAINING) {
      return;
    }
    List<StoredDefinition> moving = all.stream().filter(SiteDraining::isMoving).toList();
    Set<String> lostNow = lost(moving);
    if (moving.size() > lostNow.size()) {
      return;
    }
    String why = "";
    try { // The entry is as old as this pass; the drain may have been cancelled since.
      for (CacheRelocation leaving : means.exit().leaving(name)) {
        if (leaving.stays().isEmpty() && !lostNow.contains(leaving.cache()) && isMoved(leaving)) {
          break;
        }
      }
    } catch (SiteInUseException cannot) {
      why = String.valueOf(cannot.getMessage());
      if (!why.equals(stuck)) {
        LOG.warn("a site cannot be drained now; {}", why);
      }
    }
    stuck = why;
  }

  /**
   * Begins to move a cache. Returns false if a site refuses the move; then another cache is moved
   * first.
   */
  private boolean isMoved(CacheRelocation cacheRelocation) {
    try {
      means.exit().move(cacheRelocation, 0);
      return true;
    } catch (SiteException refused) {
      if (told.add(cacheRelocation.cache())) {
        LOG.warn(
            "a cache cannot be moved away from a site now; site={} cache={}",
            name,
            cacheRelocation.cache(),
            refused);
      }
      return false;
    }
  }

  private Set<String> lost(List<StoredDefinition> moving) {
    LostStoreDetector looking = vigil == null ? means.alterations().lostStoreDetector() : vigil;
    vigil = looking;
    Set<String> names = names(moving.stream());
    looking.retain(names);
    told.retainAll(names);
    Set<String> lostNow = names(moving.stream().filter(cache -> looking.look(cache).isForGood()));
    tell(lostNow);
    return lostNow;
  }

  private static Set<String> names(Stream<StoredDefinition> caches) {
    return caches
        .map(cache -> cache.definition().name())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Logs lost stores once for each change, even if its stores disappear repeatedly. */
  private void tell(Set<String> lostNow) {
    lostNow.stream()
        .filter(told::add)
        .forEach(
            cache ->
                LOG.warn(
                    "a cache lost its new stores during lazy migration, its change cannot end; the "
                        + "drain continues with other caches; site={} cache={}",
                    name,
                    cache));
    lost.clear();
    lost.addAll(lostNow);
  }

  /**
   * Whether a change still moves the cache. A change that is ending does not count: its remaining
   * stores may be at a site that stays unreachable permanently.
   */
  private static boolean isMoving(StoredDefinition cache) {
    return cache.change().filter(change -> !change.isEnding()).isPresent();
  }

  /** The activity for the notes of the task: which cache is being moved. */
  String doing(SiteEntry entry, List<StoredDefinition> all) {
    return all.stream()
        .filter(cache -> entry.state() == SiteEntry.State.DRAINING)
        .filter(cache -> isMoving(cache) && cache.definition().isAtSite(name))
        .filter(cache -> !lost.contains(cache.definition().name()))
        .findFirst()
        .map(cache -> "moving " + cache.definition().name())
        .orElse("");
  }
}
