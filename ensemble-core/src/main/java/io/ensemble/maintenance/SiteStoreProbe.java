package io.ensemble.maintenance;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.placement.ReplicaName;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines which stores of caches a site has, by opening them. A listing of all stores of a site
 * runs as a server task, which may hang on a node that is starting. Used by one thread at a time,
 * which may block. For the name of a site all its replicas are probed, for the name of a replica
 * only that one.
 */
final class SiteStoreProbe {

  /** For how many beats a store that was found is assumed to exist. */
  static final int FRESH = 2;

  /** After how many probes in a row without an answer a store is unreachable. */
  static final int SILENT_LOOKS = 2;

  /** How many stores are opened in one pass. */
  static final int MOST = 16;

  private static final Logger LOG = LoggerFactory.getLogger(SiteStoreProbe.class);

  private final SiteMaintenance.Means means;
  private final String name;

  /** When each store was last found. */
  private final Map<String, Long> seenAtNanos = new HashMap<>();

  /** When each store was last probed. */
  private final Map<String, Long> askedAtNanos = new HashMap<>();

  /** The state of each store in its last probe. */
  private final Map<String, ReplicaState> states = new HashMap<>();

  /** The number of probes in a row that each store has left without an answer. */
  private final Map<String, Integer> silentLooks = new HashMap<>();

  /** The result of an attempt to open a store. */
  enum ProbeResult {
    THERE,
    REFUSED,
    LOST,
    SILENT,
    BUSY;

    /** Whether the store exists; empty if the result does not say. */
    Optional<Boolean> exists() {
      return switch (this) {
        case THERE, REFUSED -> Optional.of(true);
        case LOST -> Optional.of(false);
        case SILENT, BUSY -> Optional.empty();
      };
    }
  }

  SiteStoreProbe(SiteMaintenance.Means means, String name) {
    this.means = means;
    this.name = name;
  }

  /**
   * The state of each store in the latest probes, by its name; stores that were not probed yet are
   * left out. A store is unreachable after {@value #SILENT_LOOKS} probes without an answer.
   */
  Map<String, ReplicaState> states() {
    return Map.copyOf(states);
  }

  /**
   * Those of the stores of {@code siteCaches} that exist, existed recently, or were not probed in
   * this pass; a store that refuses exists. Empty if the site does not answer or is not known. Once
   * a node is silent, no other store is probed there in the same pass.
   */
  Optional<Set<String>> findPresent(List<StoredDefinition> siteCaches) {
    Optional<Site> site = means.federation().sites().find(name);
    if (site.isEmpty()) {
      return Optional.empty();
    }
    Map<String, StoredDefinition> cachesByStore = new HashMap<>();
    for (StoredDefinition cache : siteCaches) {
      cache.definition().sites().stream()
          .filter(replica -> replica.equals(name) || ReplicaName.siteOf(replica).equals(name))
          .flatMap(replica -> cache.store(replica).stream())
          .forEach(store -> cachesByStore.put(store, cache));
    }
    seenAtNanos.keySet().retainAll(cachesByStore.keySet());
    askedAtNanos.keySet().retainAll(cachesByStore.keySet());
    states.keySet().retainAll(cachesByStore.keySet());
    silentLooks.keySet().retainAll(cachesByStore.keySet());
    long now = means.federation().scheduler().nanos();
    long freshNanos = means.beat().multipliedBy(FRESH).toNanos();
    List<Map.Entry<String, StoredDefinition>> dueStores =
        cachesByStore.entrySet().stream()
            .filter(entry -> isDue(entry.getKey(), now - freshNanos))
            .sorted(
                Comparator.comparing(
                    entry -> askedAtNanos.getOrDefault(entry.getKey(), Long.MIN_VALUE)))
            .limit(MOST)
            .toList();
    Set<String> presentStores = new HashSet<>(cachesByStore.keySet());
    boolean isSilent = !dueStores.isEmpty();
    Set<String> silentNodes = new HashSet<>();
    for (Map.Entry<String, StoredDefinition> entry : dueStores) {
      askedAtNanos.put(entry.getKey(), means.federation().scheduler().nanos());
      Optional<Boolean> exists =
          checkStore(site.get(), entry.getKey(), entry.getValue(), silentNodes).exists();
      if (exists.isEmpty()) { // Perhaps only one node is silent, and other nodes answer.
        if (SiteHandle.kindOf(entry.getValue().definition()) != StoreKind.REPLICA) {
          return Optional.empty();
        }
        continue;
      }
      isSilent = false;
      if (exists.get()) {
        seenAtNanos.put(entry.getKey(), means.federation().scheduler().nanos());
      } else {
        seenAtNanos.remove(entry.getKey());
        presentStores.remove(entry.getKey());
      }
    }
    return isSilent ? Optional.empty() : Optional.of(presentStores);
  }

  private ProbeResult checkStore(
      Site site, String store, StoredDefinition cache, Set<String> silentNodes) {
    String node = site.nodeOf(store);
    ProbeResult result =
        !node.isEmpty() && silentNodes.contains(node)
            ? ProbeResult.SILENT
            : openStore(site, store, cache);
    if (result == ProbeResult.SILENT) {
      silentNodes.add(node);
      if (silentLooks.merge(store, 1, Integer::sum) >= SILENT_LOOKS) {
        states.put(store, ReplicaState.NODE_UNREACHABLE);
      }
    } else if (result != ProbeResult.BUSY) {
      silentLooks.remove(store);
      states.put(store, stateOf(result));
    }
    return result;
  }

  /** The state of a replica by an attempt; a busy one is whole. */
  static ReplicaState stateOf(ProbeResult result) {
    return switch (result) {
      case THERE, BUSY -> ReplicaState.WHOLE;
      case REFUSED -> ReplicaState.REFUSED;
      case LOST -> ReplicaState.LOST;
      case SILENT -> ReplicaState.NODE_UNREACHABLE;
    };
  }

  private boolean isDue(String store, long sinceNanos) {
    Long seenNanos = seenAtNanos.get(store);
    return seenNanos == null || seenNanos - sinceNanos < 0;
  }

  /** Whether enough of a cache's other sites answer for a refill of the store at {@code site}. */
  static boolean canFill(SiteMaintenance.Means means, StoredDefinition cache, String site) {
    CacheDefinition definition = cache.definition();
    long answeringSites =
        definition.sites().stream()
            .filter(otherSite -> !otherSite.equals(site))
            .filter(otherSite -> hasStore(means, cache, otherSite))
            .count();
    return answeringSites >= cache.neededToRefill();
  }

  /** Whether the node of a replica's store does not answer now. */
  static boolean isSilent(SiteMaintenance.Means means, StoredDefinition cache, String replica) {
    Optional<Site> knownSite = means.federation().sites().find(replica);
    Optional<String> store = cache.store(replica);
    return knownSite.isPresent()
        && store.isPresent()
        && new SiteStoreProbe(means, replica).openStore(knownSite.get(), store.get(), cache)
            == ProbeResult.SILENT;
  }

  private static boolean hasStore(
      SiteMaintenance.Means means, StoredDefinition cache, String site) {
    Optional<Site> knownSite = means.federation().sites().find(site);
    Optional<String> store = cache.store(site);
    return knownSite.isPresent()
        && store.isPresent()
        && new SiteStoreProbe(means, site)
            .openStore(knownSite.get(), store.get(), cache)
            .exists()
            .orElse(false);
  }

  private ProbeResult openStore(Site site, String store, StoredDefinition cache) {
    Duration longest = SiteMaintenance.LONGEST_QUESTION;
    try {
      means
          .caches()
          .waitFor(
              () ->
                  site.open(
                      store,
                      SiteHandle.kindOf(cache.definition()),
                      Deadline.after(longest, means.federation().scheduler())),
              longest);
      return ProbeResult.THERE;
    } catch (SiteException exception) {
      LOG.debug("a store cannot be opened; site={} store={}", name, store, exception);
      return found(exception);
    }
  }

  /** The state of a store by a failure to open it. */
  static ProbeResult found(SiteException exception) {
    return switch (exception.reason()) {
      case STORE_LOST -> ProbeResult.LOST;
      case DEGRADED, NOT_ALLOWED, UNSUITABLE -> ProbeResult.REFUSED;
      case FAILED, DELETED -> ProbeResult.THERE;
      case UNREACHABLE, TIMED_OUT -> ProbeResult.SILENT;
      case BUSY -> ProbeResult.BUSY;
    };
  }
}
