package io.ensemble.cache.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.mwmr.RegisterExecution.Ended;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.QuorumRepair;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Mending of MWMR: a key is brought to a site by a classic ballot among all sites, which ends with
 * one content chosen, and is asked of every site, and so of that one. Anybody may do that at any
 * time; what was done to a key meanwhile is not undone by it. A site whose accepted ballot is
 * another one counts as behind, though it may have the same content by it.
 */
final class MwmrRepair {

  private MwmrRepair() {}

  /**
   * @param settle settles a key among all sites
   */
  static SiteRepair of(
      EngineContext cache,
      MissedKeys missed,
      Function<Bytes, CompletionStage<Ended<Payload>>> settle) {
    return new QuorumRepair(
        cache,
        missed,
        () -> true,
        (item, there) ->
            !there
                .map(StoredEntry::value)
                .map(MwmrRepair::accepted)
                .equals(Optional.of(accepted(item.value()))),
        key -> settle.apply(key).thenAccept(ended -> check(cache, ended)));
  }

  private static void check(EngineContext cache, Ended<Payload> ended) {
    if (!(ended.outcome() instanceof RegisterOutcome.Done)) {
      throw new QuorumUnavailableException(cache.definition().name(), ended.answers().shortfall());
    }
  }

  /** What is strange differs from everything, as a settled cell will tell. */
  private static Ballot accepted(Bytes value) {
    try {
      return CellCodec.decode(value).accepted();
    } catch (MalformedEnvelopeException strange) {
      return Ballot.ZERO;
    }
  }
}
