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
 * A cache as its rolls count it, those that this process has known: an operation takes place among
 * the sites that count in its term. Thread-safe.
 */
final class VoterSets {

  /** An operation of a term so long gone waits for answers that nobody counts. */
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

  /** The cache with all its sites, whoever counts. */
  EngineContext whole() {
    return whole;
  }

  /** What sites have missed, by their places among all. */
  MissedKeys missed() {
    return missed;
  }

  /** A site of {@code cache}, whoever counts there, has missed what was written under a key. */
  void missed(EngineContext cache, int site, Bytes key) {
    missed.add(whole.definition().sites().indexOf(cache.definition().sites().get(site)), key);
  }

  /** Takes {@code next} for the present roll, if it is later than that. */
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

  /** The cache as the present roll counts it. */
  synchronized EngineContext now() {
    return known.getFirst().cache();
  }

  /** The cache as the roll of {@code term} counts it. */
  EngineContext of(Term term) {
    return counted(term).cache();
  }

  /**
   * How many sites of {@code term}'s roll must be walked over to meet every key that counts, its
   * primary among them. In a roll whose first site had everything alone, all: until its keys are
   * recovered a majority does not hold them.
   */
  int sitesToWalk(Term term) {
    Counted counted = counted(term);
    CacheDefinition definition = counted.cache().definition();
    int all = definition.sites().size();
    return counted.roll().isFilled(term) ? all - definition.majority() + 1 : all;
  }

  /**
   * Whether a site that counts in {@code term} has had to get a new store since: it had one in a
   * later roll of several sites, which has a new store at all of them but the first.
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

  /** {@code cache} with the stores of {@code roll}'s sites only. */
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
