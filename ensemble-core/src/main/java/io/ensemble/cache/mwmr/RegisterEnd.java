package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Ends a register at one of its sites, for good: a mark takes the place of the acceptor, by
 * compare-and-set, and keeps what it had accepted last. An envelope without an acceptor's state is
 * no answer to any operation, and no compare-and-set made before can take its place. So nothing is
 * chosen any more by a majority that needs this site; and what was chosen by one is kept in the
 * mark, or something that was decided on it.
 */
public final class RegisterEnd {

  private static final int TRIES = 10;
  private static final Envelope NOTHING = new Envelope(Stamp.NONE, 0, null, null, null);

  private RegisterEnd() {}

  /** Whether {@code stored} marks the end of a register. */
  public static boolean isEnd(Bytes stored) {
    try {
      return EnvelopeCodec.decode(stored).state() == null;
    } catch (MalformedEnvelopeException strange) {
      return false;
    }
  }

  /**
   * Ends the register {@code key} in {@code store}; finds it ended when it is. May be repeated. A
   * read and a compare-and-set, more among contenders.
   *
   * @param mayEnd given what the site has accepted before the register is ended; nothing was done
   *     when it throws, unless it was ended before
   * @return what the site had accepted last; empty when that is nothing. Fails with {@link
   *     SiteException} when the site does not answer: then it may be ended or not
   */
  public static CompletionStage<Optional<Payload>> at(
      SiteStore store,
      Bytes key,
      Consumer<Optional<Payload>> mayEnd,
      Scheduler scheduler,
      Deadline deadline) {
    AtomicReference<Envelope> end = new AtomicReference<>(NOTHING);
    int[] tries = {TRIES};
    return AsyncLoop.whileTrue(
            scheduler,
            () -> {
              if (tries[0]-- == 0 || deadline.hasPassed(scheduler)) {
                throw new SiteException(
                    store.site(), Reason.TIMED_OUT, "a register could not be ended in time");
              }
              return store
                  .read(key, deadline)
                  .thenCompose(
                      entry -> {
                        Envelope found = envelope(entry);
                        mayEnd.accept(value(found));
                        if (entry.isPresent() && found.state() == null) {
                          end.set(found);
                          return CompletableFuture.completedFuture(false);
                        }
                        // Whatever it says: the next read tells.
                        return end(store, key, entry, found, deadline).handle((yes, no) -> true);
                      });
            })
        .thenApply(done -> value(Objects.requireNonNull(end.get())));
  }

  private static Envelope envelope(Optional<StoredEntry> entry) {
    return entry.map(stored -> EnvelopeCodec.decode(stored.value())).orElse(NOTHING);
  }

  private static Optional<Payload> value(Envelope envelope) {
    Bytes payload = envelope.payload();
    return payload == null
        ? Optional.empty()
        : Optional.of(new Payload(payload, envelope.endMicros(), envelope.encrypted()));
  }

  private static CompletionStage<Boolean> end(
      SiteStore store, Bytes key, Optional<StoredEntry> entry, Envelope found, Deadline deadline) {
    Bytes mark =
        EnvelopeCodec.encode(
            new Envelope(
                found.stamp(), found.endMicros(), null, null, found.payload(), found.encrypted()));
    return entry.isEmpty()
        ? store.putIfAbsent(key, mark, deadline)
        : store.replace(key, entry.get().version(), mark, deadline);
  }
}
