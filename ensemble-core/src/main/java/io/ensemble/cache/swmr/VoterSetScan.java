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
record VoterSetScan(EntryScan scan, TermRecord termRecord, VoterSet voterSet) implements EntryScan {

  /**
   * @param readsValues false for a scan of keys, as {@link CacheEngine#scanKeys}
   */
  static EntryScan of(
      CacheEngine engine, TermRecord termRecord, int batchSize, boolean readsValues) {
    VoterSets voterSets = termRecord.voterSets();
    VoterSet voterSet = voterSets.latestVoterSet();
    EngineContext cache = voterSets.latestContext();
    String primary = termRecord.last().map(leasedTerm -> leasedTerm.term().primary()).orElse("");
    List<StoreHandle> order = new ArrayList<>(cache.stores());
    order.sort(Comparator.comparing(handle -> !handle.site().equals(primary)));
    return new VoterSetScan(
        new QuorumScan(
            engine, cache, batchSize, order, sitesToScan(termRecord, voterSet, cache), readsValues),
        termRecord,
        voterSet);
  }

  /**
   * How many sites of a voter set must be scanned to find every key.
   *
   * @param cache the cache as the voter set sees it
   */
  static int sitesToScan(TermRecord termRecord, VoterSet voterSet, EngineContext cache) {
    VoterSets voterSets = termRecord.voterSets();
    int allSites = cache.stores().size();
    return termRecord
        .last()
        .map(LeasedTerm::term)
        .filter(voterSet::isFilled)
        .map(voterSets::sitesToWalk)
        .orElse(voterSet.number() == 1 ? allSites - cache.definition().majority() + 1 : allSites);
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            entries ->
                entries.isEmpty()
                    ? termRecord.readLatest().thenCompose(leasedTerm -> checkVoterSet(entries))
                    : checkVoterSet(entries));
  }

  private CompletionStage<List<Entry>> checkVoterSet(List<Entry> entries) {
    return termRecord.voterSets().latestVoterSet().equals(voterSet)
        ? CompletableFuture.completedFuture(entries)
        : CompletableFuture.failedFuture(changedException());
  }

  private QuorumUnavailableException changedException() {
    return new QuorumUnavailableException(
        termRecord.voterSets().fullContext().definition().name(),
        SiteResponses.notAsked(
            voterSet.sites(), "the voter set changed during the scan: start the scan again"));
  }

  @Override
  public void close() {
    scan.close();
  }
}
