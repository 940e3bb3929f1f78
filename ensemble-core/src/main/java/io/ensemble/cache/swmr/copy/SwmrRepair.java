package io.ensemble.cache.swmr.copy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.QuorumRepair;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.CopyPosition;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * Repair of an SWMR cache, by the writer. A key that a site lacks is written once more with its
 * present value, and the write goes to all sites, as any write does. A copy sent in another way
 * could arrive late, after its key was removed and its tombstone purged. A write cannot, for the
 * same reasons as any other write. A copy with an earlier position, or no copy, is behind.
 */
public final class SwmrRepair {

  private SwmrRepair() {}

  /**
   * @param isWriter whether this process is the writer
   */
  public static SiteRepair of(
      EngineContext cache, MissedKeys missed, CacheEngine engine, BooleanSupplier isWriter) {
    return new QuorumRepair(
        cache,
        missed,
        isWriter,
        (item, otherEntry) ->
            positionOf(item.value())
                .isAbove(
                    otherEntry
                        .map(StoredEntry::value)
                        .map(SwmrRepair::positionOf)
                        .orElse(CopyPosition.NONE)),
        key -> rewriteKey(cache, engine, key));
  }

  /** Writes the present value again; without a value, writes a removal. */
  private static CompletionStage<Void> rewriteKey(
      EngineContext cache, CacheEngine engine, Bytes key) {
    Deadline deadline = Deadline.after(cache.definition().deadline(), cache.scheduler());
    return engine
        .<Boolean>update(key, current -> Decision.write(current, true), deadline)
        .thenAccept(
            outcome -> {
              if (!(outcome instanceof WriteOutcome.Applied)) {
                throw new QuorumUnavailableException(
                    cache.definition().name(),
                    SiteResponses.notAsked(
                        cache.definition().sites(), "the key could not be written"));
              }
            });
  }

  private static CopyPosition positionOf(Bytes value) {
    try {
      return CopyCodec.decode(value).mark();
    } catch (MalformedEnvelopeException malformed) {
      return CopyPosition.NONE; // Useless elsewhere.
    }
  }
}
