package io.ensemble.cache;

import io.ensemble.listen.Vote;
import io.ensemble.register.Content;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The means by which a listener sees the changes of one configuration of a cache.
 *
 * @param configuration the number of the configuration; 0 if the cache has no configurations
 * @param stores the stores of the replicas
 * @param scansRequired how many of them must be scanned before a stream may begin
 * @param scansCovering how many must be scanned to find every acknowledged write, so that the
 *     positions of a stream may advance
 * @param isProvenByVotes whether votes prove writes; otherwise each reported key is read
 * @param retainedMicros how long a removal stays visible in the stores at least
 * @param votes decodes an entry of a store; fails with {@link
 *     io.ensemble.envelope.MalformedEnvelopeException}
 * @param reader reads the chosen write of a key, and makes it chosen if necessary; fails with
 *     {@link io.ensemble.QuorumUnavailableException}
 * @param confirmation whether everything that was seen in these stores before the call is part of
 *     the cache: false once the configuration may have ended, or if that is not known by the
 *     deadline
 */
public record ChangeSource(
    long configuration,
    List<StoreHandle> stores,
    int scansRequired,
    int scansCovering,
    boolean isProvenByVotes,
    long retainedMicros,
    Function<Bytes, Vote<Payload>> votes,
    BiFunction<Bytes, Deadline, CompletionStage<Content<Payload>>> reader,
    Function<Deadline, CompletionStage<Boolean>> confirmation) {

  public ChangeSource {
    stores = List.copyOf(stores);
  }

  /** A source whose writes need no confirmation. */
  public static Function<Deadline, CompletionStage<Boolean>> unconditional() {
    return deadline -> CompletableFuture.completedFuture(true);
  }

  /** The same source in the configuration of that number. */
  public ChangeSource inConfiguration(long number) {
    return new ChangeSource(
        number,
        stores,
        scansRequired,
        scansCovering,
        isProvenByVotes,
        retainedMicros,
        votes,
        reader,
        confirmation);
  }

  /** The same source with another confirmation. */
  public ChangeSource confirmedBy(Function<Deadline, CompletionStage<Boolean>> other) {
    return new ChangeSource(
        configuration,
        stores,
        scansRequired,
        scansCovering,
        isProvenByVotes,
        retainedMicros,
        votes,
        reader,
        other);
  }
}
