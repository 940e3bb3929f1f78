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
  private final Map<String, Long> seen = new HashMap<>();

  /** When each store was last probed. */
  private final Map<String, Long> asked = new HashMap<>();

  /** The state of each store in its last probe. */
  private final Map<String, ReplicaState> states = new HashMap<>();

  /** The number of probes in a row that each store has left without an answer. */
  private final Map<String, Integer> silent = new HashMap<>();

  /** The result of an attempt to open a store. */
  enum Found {
    THERE,
    REFUSED,
    LOST,
    SILENT,
    BUSY;

    /** Whether the store exists; empty if the result does not say. */
    Optional<Boolean> isThere() {
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
   * Those of the stores of {@code here} that exist, existed recently, or were not probed in this
   * pass; a store that refuses exists. Empty if the site does not answer or is not known. Once a
   * node is silent, no other store is probed there in the same pass.
   */
  Optional<Set<String>> there(List<StoredDefinition> here) {
    Optional<Site> site = means.federation().sites().find(name);
    if (site.isEmpty()) {
      return Optional.empty();
    }
    Map<String, StoredDefinition> named = new HashMap<>();
    for (StoredDefinition cache : here) {
      cache.definition().sites().stream()
          .filter(replica -> replica.equals(name) || ReplicaName.siteOf(replica).equals(name))
          .flatMap(replica -> cache.store(replica).stream())
          .forEach(store -> named.put(store, cache));
    }
    seen.keySet().retainAll(named.keySet());
    asked.keySet().retainAll(named.keySet());
    states.keySet().retainAll(named.keySet());
    silent.keySet().retainAll(named.keySet());
    long now = means.federation().scheduler().nanos();
    long fresh = means.beat().multipliedBy(FRESH).toNanos();
    List<Map.Entry<String, StoredDefinition>> due =
        named.entrySet().stream()
            .filter(entry -> isDue(entry.getKey(), now - fresh))
            .sorted(
                Comparator.comparing(entry -> asked.getOrDefault(entry.getKey(), Long.MIN_VALUE)))
            .limit(MOST)
            .toList();
    Set<String> there = new HashSet<>(named.keySet());
    boolean isSilent = !due.isEmpty();
    Set<String> silentNodes = new HashSet<>();
    for (Map.Entry<String, StoredDefinition> entry : due) {
      asked.put(entry.getKey(), means.federation().scheduler().nanos());
      Optional<Boolean> found =
          look(site.get(), entry.getKey(), entry.getValue(), silentNodes).isThere();
      if (found.isEmpty()) { // Perhaps only one node is silent, and other nodes answer.
        if (SiteHandle.kindOf(entry.getValue().definition()) != StoreKind.REPLICA) {
          return Optional.empty();
        }
        continue;
      }
      isSilent = false;
      if (found.get()) {
        seen.put(entry.getKey(), means.federation().scheduler().nanos());
      } else {
        seen.remove(entry.getKey());
        there.remove(entry.getKey());
      }
    }
    return isSilent ? Optional.empty() : Optional.of(there);
  }

  private Found look(Site site, String store, StoredDefinition cache, Set<String> silentNodes) {
    String node = site.nodeOf(store);
    Found found =
        !node.isEmpty() && silentNodes.contains(node) ? Found.SILENT : ask(site, store, cache);
    if (found == Found.SILENT) {
      silentNodes.add(node);
      if (silent.merge(store, 1, Integer::sum) >= SILENT_LOOKS) {
        states.put(store, ReplicaState.NODE_UNREACHABLE);
      }
    } else if (found != Found.BUSY) {
      silent.remove(store);
      states.put(store, stateOf(found));
    }
    return found;
  }

  /** The state of a replica by an attempt; a busy one is whole. */
  static ReplicaState stateOf(Found found) {
    return switch (found) {
      case THERE, BUSY -> ReplicaState.WHOLE;
      case REFUSED -> ReplicaState.REFUSED;
      case LOST -> ReplicaState.LOST;
      case SILENT -> ReplicaState.NODE_UNREACHABLE;
    };
  }

  private boolean isDue(String store, long sinceNanos) {
    Long at = seen.get(store);
    return at == null || at - sinceNanos < 0;
  }

  /** Whether enough of a cache's other sites answer for a refill of the store at {@code site}. */
  static boolean canFill(SiteMaintenance.Means means, StoredDefinition cache, String site) {
    CacheDefinition definition = cache.definition();
    long answering =
        definition.sites().stream()
            .filter(other -> !other.equals(site))
            .filter(other -> isThere(means, cache, other))
            .count();
    return answering >= cache.neededToRefill();
  }

  /** Whether the node of a replica's store does not answer now. */
  static boolean isSilent(SiteMaintenance.Means means, StoredDefinition cache, String replica) {
    Optional<Site> known = means.federation().sites().find(replica);
    Optional<String> store = cache.store(replica);
    return known.isPresent()
        && store.isPresent()
        && new SiteStoreProbe(means, replica).ask(known.get(), store.get(), cache) == Found.SILENT;
  }

  private static boolean isThere(SiteMaintenance.Means means, StoredDefinition cache, String site) {
    Optional<Site> known = means.federation().sites().find(site);
    Optional<String> store = cache.store(site);
    return known.isPresent()
        && store.isPresent()
        && new SiteStoreProbe(means, site)
            .ask(known.get(), store.get(), cache)
            .isThere()
            .orElse(false);
  }

  private Found ask(Site site, String store, StoredDefinition cache) {
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
      return Found.THERE;
    } catch (SiteException why) {
      LOG.debug("a store cannot be opened; site={} store={}", name, store, why);
      return found(why);
    }
  }

  /** The state of a store by a failure to open it. */
  static Found found(SiteException why) {
    return switch (why.reason()) {
      case STORE_LOST -> Found.LOST;
      case DEGRADED, NOT_ALLOWED, UNSUITABLE -> Found.REFUSED;
      case FAILED, DELETED -> Found.THERE;
      case UNREACHABLE, TIMED_OUT -> Found.SILENT;
      case BUSY -> Found.BUSY;
    };
  }
}
