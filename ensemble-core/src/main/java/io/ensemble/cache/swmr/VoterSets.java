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

  private record Counted(VoterSet roll, EngineContext cache) {}

  private final EngineContext whole;
  private final MissedKeys missed;
  private final Deque<Counted> known = new ArrayDeque<>(); // The latest first; this object's lock.

  VoterSets(EngineContext whole) {
    this.whole = whole;
    this.missed = new MissedKeys(whole.definition().sites().size());
    known.push(new Counted(VoterSet.first(whole.definition().sites()), whole));
  }

  /** The cache with all its sites, voters or not. */
  EngineContext whole() {
    return whole;
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
    missed.add(whole.definition().sites().indexOf(cache.definition().sites().get(site)), key);
  }

  /** Makes {@code next} the present voter set, if it is later. */
  synchronized boolean follow(VoterSet next) {
    if (next.number() <= present().number()) {
      return false;
    }
    known.push(new Counted(next, counting(whole, next)));
    if (known.size() > MOST) {
      known.removeLast();
    }
    return true;
  }

  synchronized VoterSet present() {
    return known.getFirst().roll();
  }

  /** The cache as the present voter set sees it. */
  synchronized EngineContext now() {
    return known.getFirst().cache();
  }

  /** The cache as the voter set of {@code term} sees it. */
  EngineContext of(Term term) {
    return counted(term).cache();
  }

  /**
   * How many sites of {@code term}'s voter set must be scanned to find every key, its primary among
   * them. All sites, if only the first site of the voter set had all data at its beginning: until
   * the keys are recovered, no majority holds them.
   */
  int sitesToWalk(Term term) {
    Counted counted = counted(term);
    CacheDefinition definition = counted.cache().definition();
    int all = definition.sites().size();
    return counted.roll().isFilled(term) ? all - definition.majority() + 1 : all;
  }

  /**
   * Whether a voter of {@code term} has received a new store since. The result is true if it was a
   * voter, but not the first, of a later voter set: all sites but the first have new stores there.
   */
  synchronized boolean haveNewStores(Term term) {
    VoterSet own = counted(term).roll();
    return known.stream()
        .map(Counted::roll)
        .filter(later -> later.number() > own.number())
        .anyMatch(later -> later.sites().stream().skip(1).anyMatch(own::counts));
  }

  private synchronized Counted counted(Term term) {
    for (Counted counted : known) {
      if (counted.roll().epoch() <= term.epoch()) {
        return counted;
      }
    }
    return known.getLast();
  }

  /** {@code cache} with the stores of the voters only. */
  static EngineContext counting(EngineContext cache, VoterSet roll) {
    CacheDefinition all = cache.definition();
    List<String> sites = all.sites().stream().filter(roll::counts).toList();
    Optional<String> local = cache.localSite().filter(roll::counts);
    return new EngineContext(
        new CacheDefinition(
            all.name(),
            all.mode(),
            sites,
            all.deadline(),
            all.maxValueBytes(),
            all.acknowledgement(),
            all.tombstoneGrace(),
            all.window(),
            all.siblings(),
            all.privacy()),
        cache.stores().stream().filter(store -> roll.counts(store.site())).toList(),
        local,
        cache.scheduler(),
        cache.clock(),
        cache.writer(),
        cache.metrics());
  }
}
