package io.ensemble.cache.swmr;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.primary.Term;
import io.ensemble.primary.VoterSet;
import io.ensemble.site.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A cache as each of its voter sets sees it, for the voter sets that this process has known. An
 * operation takes place among the voters of its term. Thread-safe.
 */
final class VoterSets {

  /** An operation of an older term waits for responses that no longer count. */
  private static final int MOST = 8;

  private record VoterSetContext(VoterSet voterSet, EngineContext cache) {}

  private final EngineContext fullContext;
  private final MissedKeys missed;
  private final Deque<VoterSetContext> recentSets =
      new ArrayDeque<>(); // The latest first; this object's lock.

  VoterSets(EngineContext fullContext) {
    this.fullContext = fullContext;
    this.missed = new MissedKeys(fullContext.definition().sites().size());
    recentSets.push(
        new VoterSetContext(VoterSet.first(fullContext.definition().sites()), fullContext));
  }

  /** The cache with all its sites, voters or not. */
  EngineContext fullContext() {
    return fullContext;
  }

  /** The keys that sites have missed, by their indexes among all sites. */
  MissedKeys missed() {
    return missed;
  }

  /**
   * Records that a site of {@code cache}, the cache as some voter set sees it, has missed a write
   * of a key.
   */
  void missed(EngineContext cache, int site, Bytes key) {
    missed.add(fullContext.definition().sites().indexOf(cache.definition().sites().get(site)), key);
  }

  /** Makes {@code next} the present voter set, if it is later. */
  synchronized boolean follow(VoterSet next) {
    if (next.number() <= latestVoterSet().number()) {
      return false;
    }
    recentSets.push(new VoterSetContext(next, restrictContext(fullContext, next)));
    if (recentSets.size() > MOST) {
      recentSets.removeLast();
    }
    return true;
  }

  synchronized VoterSet latestVoterSet() {
    return recentSets.getFirst().voterSet();
  }

  /** The cache as the present voter set sees it. */
  synchronized EngineContext latestContext() {
    return recentSets.getFirst().cache();
  }

  /** The cache as the voter set of {@code term} sees it. */
  EngineContext contextOf(Term term) {
    return voterSetOf(term).cache();
  }

  /**
   * How many sites of {@code term}'s voter set must be scanned to find every key, its primary among
   * them. All sites, if only the first site of the voter set had all data at its beginning: until
   * the keys are recovered, no majority holds them.
   */
  int sitesToWalk(Term term) {
    VoterSetContext counted = voterSetOf(term);
    CacheDefinition definition = counted.cache().definition();
    int allSites = definition.sites().size();
    return counted.voterSet().isFilled(term) ? allSites - definition.majority() + 1 : allSites;
  }

  /**
   * Whether a voter of {@code term} has received a new store since. The result is true if it was a
   * voter, but not the first, of a later voter set: all sites but the first have new stores there.
   */
  synchronized boolean haveNewStores(Term term) {
    VoterSet termVoterSet = voterSetOf(term).voterSet();
    return recentSets.stream()
        .map(VoterSetContext::voterSet)
        .filter(later -> later.number() > termVoterSet.number())
        .anyMatch(later -> later.sites().stream().skip(1).anyMatch(termVoterSet::counts));
  }

  private synchronized VoterSetContext voterSetOf(Term term) {
    for (VoterSetContext counted : recentSets) {
      if (counted.voterSet().epoch() <= term.epoch()) {
        return counted;
      }
    }
    return recentSets.getLast();
  }

  /** {@code cache} with the stores of the voters only. */
  static EngineContext restrictContext(EngineContext cache, VoterSet voterSet) {
    CacheDefinition fullDefinition = cache.definition();
    List<String> sites = fullDefinition.sites().stream().filter(voterSet::counts).toList();
    Optional<String> local = cache.localSite().filter(voterSet::counts);
    return new EngineContext(
        new CacheDefinition(
            fullDefinition.name(),
            fullDefinition.mode(),
            sites,
            fullDefinition.deadline(),
            fullDefinition.maxValueBytes(),
            fullDefinition.acknowledgement(),
            fullDefinition.tombstoneGrace(),
            fullDefinition.window(),
            fullDefinition.siblings(),
            fullDefinition.privacy()),
        cache.stores().stream().filter(store -> voterSet.counts(store.site())).toList(),
        local,
        cache.scheduler(),
        cache.clock(),
        cache.writer(),
        cache.metrics());
  }
}
