package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.QuorumScan;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A scan of the sites of one voter set, the primary first, which may have writes that no other site
 * has yet. The scan fails if the voter set changes before its end. At the end the record is read,
 * because a scan without results has not read it.
 */
record VoterSetScan(EntryScan scan, TermRecord terms, VoterSet roll) implements EntryScan {

  static EntryScan of(CacheEngine engine, TermRecord terms, int batchSize) {
    VoterSets rolls = terms.rolls();
    VoterSet roll = rolls.present();
    EngineContext cache = rolls.now();
    int all = cache.stores().size();
    int walked =
        terms
            .last()
            .map(LeasedTerm::term)
            .filter(roll::isFilled)
            .map(rolls::sitesToWalk)
            .orElse(roll.number() == 1 ? all - cache.definition().majority() + 1 : all);
    String primary = terms.last().map(trust -> trust.term().primary()).orElse("");
    List<StoreHandle> order = new ArrayList<>(cache.stores());
    order.sort(Comparator.comparing(handle -> !handle.site().equals(primary)));
    return new VoterSetScan(new QuorumScan(engine, cache, batchSize, order, walked), terms, roll);
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            found ->
                found.isEmpty()
                    ? terms.look().thenCompose(seen -> ofThisRoll(found))
                    : ofThisRoll(found));
  }

  private CompletionStage<List<Entry>> ofThisRoll(List<Entry> found) {
    return terms.rolls().present().equals(roll)
        ? CompletableFuture.completedFuture(found)
        : CompletableFuture.failedFuture(others());
  }

  private QuorumUnavailableException others() {
    return new QuorumUnavailableException(
        terms.rolls().whole().definition().name(),
        SiteResponses.notAsked(
            roll.sites(), "the voter set changed during the scan: start the scan again"));
  }

  @Override
  public void close() {
    scan.close();
  }
}
