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
 * Moves caches away from a site that is being drained, one at a time. One whose change cannot end
 * any more, for its new stores are lost, keeps no other one there. A site that starts has none for
 * a while, and its caches are waited for. For one thread, which may wait.
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

  /** Goes on with what an operator began, unless somebody is at work. */
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
    try { // The entry is as old as the look; the drain may have been undone since.
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

  /** Begins to move a cache; false where a site refuses it, and then another one is moved first. */
  private boolean isMoved(CacheRelocation cacheRelocation) {
    try {
      means.exit().move(cacheRelocation, 0);
      return true;
    } catch (SiteException refused) {
      if (told.add(cacheRelocation.cache())) {
        LOG.warn(
            "a cache cannot leave a site now; site={} cache={}",
            name,
            cacheRelocation.cache(),
            refused);
      }
      return false;
    }
  }

  private Set<String> lost(List<StoredDefinition> moving) {
    LostStoreDetector looking = vigil == null ? means.alterations().lostVigil() : vigil;
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

  /** Once of each change, also where its stores come and go. */
  private void tell(Set<String> lostNow) {
    lostNow.stream()
        .filter(told::add)
        .forEach(
            cache ->
                LOG.warn(
                    "a cache has lost its new stores while keys were taken over, its change cannot"
                        + " end; the drain goes on with others; site={} cache={}",
                    name,
                    cache));
    lost.clear();
    lost.addAll(lostNow);
  }

  /** What is left of one that has ended may be at a site that nobody reaches, for ever. */
  private static boolean isMoving(StoredDefinition cache) {
    return cache.change().filter(change -> !change.isEnding()).isPresent();
  }

  /** What others may see: which cache is on its way. */
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
