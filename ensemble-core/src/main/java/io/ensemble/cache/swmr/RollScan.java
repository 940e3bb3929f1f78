package io.ensemble.cache.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.call.QuorumScan;
import io.ensemble.primary.Roll;
import io.ensemble.primary.Trust;
import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A walk over the sites of one roll. It fails when others count before it has ended. */
record RollScan(EntryScan scan, Rolls rolls, Roll roll) implements EntryScan {

  static EntryScan of(CacheEngine engine, Terms terms, int batchSize) {
    Rolls rolls = terms.rolls();
    Roll roll = rolls.present();
    OpenCache cache = rolls.now();
    int all = cache.stores().size();
    int walked =
        terms
            .last()
            .map(Trust::term)
            .filter(roll::isFilled)
            .map(rolls::sitesToWalk)
            .orElse(roll.number() == 1 ? all - cache.definition().majority() + 1 : all);
    return new RollScan(new QuorumScan(engine, cache, batchSize, walked), rolls, roll);
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            found ->
                rolls.present().equals(roll)
                    ? CompletableFuture.completedFuture(found)
                    : CompletableFuture.failedFuture(others()));
  }

  private QuorumUnavailableException others() {
    return new QuorumUnavailableException(
        rolls.whole().definition().name(),
        Answers.notAsked(roll.sites(), "other sites count than when the walk began: walk anew"));
  }

  @Override
  public void close() {
    scan.close();
  }
}
