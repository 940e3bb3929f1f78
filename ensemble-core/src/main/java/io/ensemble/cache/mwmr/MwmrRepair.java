package io.ensemble.cache.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteRepair;
import io.ensemble.cache.mwmr.RegisterExecution.ExecutionResult;
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
 * Repair of an MWMR cache. A key is brought to a site by a classic ballot among all sites. The
 * ballot ends with one content chosen, and asks every site to accept it, including that site. Any
 * process may repair at any time; the repair undoes no concurrent operation on the key. A site with
 * another accepted ballot counts as behind, though its content may be the same.
 */
final class MwmrRepair {

  private MwmrRepair() {}

  /**
   * @param keySettler settles a key among all sites
   */
  static SiteRepair of(
      EngineContext cache,
      MissedKeys missed,
      Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler) {
    return new QuorumRepair(
        cache,
        missed,
        () -> true,
        (item, otherEntry) ->
            !otherEntry
                .map(StoredEntry::value)
                .map(MwmrRepair::acceptedBallot)
                .equals(Optional.of(acceptedBallot(item.value()))),
        key -> keySettler.apply(key).thenAccept(callResult -> requireDone(cache, callResult)));
  }

  private static void requireDone(EngineContext cache, ExecutionResult<Payload> callResult) {
    if (!(callResult.outcome() instanceof RegisterOutcome.Done)) {
      throw new QuorumUnavailableException(
          cache.definition().name(), callResult.answers().shortfall());
    }
  }

  /**
   * A malformed entry differs from every ballot; settling its key shows whether the entry must be
   * replaced.
   */
  private static Ballot acceptedBallot(Bytes value) {
    try {
      return CellCodec.decode(value).accepted();
    } catch (MalformedEnvelopeException exception) {
      return Ballot.ZERO;
    }
  }
}
