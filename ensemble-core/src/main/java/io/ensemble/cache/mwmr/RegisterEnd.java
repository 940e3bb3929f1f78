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
 * Ends a register at one of its sites, for ever. A compare-and-set replaces the acceptor by an end
 * mark, which keeps the content accepted last. An envelope without an acceptor's state is no valid
 * response for any operation. A compare-and-set prepared earlier cannot replace the mark. So
 * nothing more is chosen by a majority that needs this site. A content that such a majority chose
 * is in the mark, or the mark holds a content decided later.
 */
public final class RegisterEnd {

  private static final int TRIES = 10;
  private static final Envelope NOTHING = new Envelope(Stamp.NONE, 0, null, null, null);

  private RegisterEnd() {}

  /** Whether {@code stored} marks the end of a register. */
  public static boolean isEnd(Bytes stored) {
    try {
      return EnvelopeCodec.decode(stored).state() == null;
    } catch (MalformedEnvelopeException exception) {
      return false;
    }
  }

  /**
   * Ends the register {@code key} in {@code store}; succeeds if it has already ended. May be
   * repeated. Costs a read and a compare-and-set, more under contention.
   *
   * @param endCheck receives the content that the site has accepted, before the register is ended.
   *     If {@code endCheck} throws, nothing was done, unless the register had ended before
   * @return the content that the site had accepted last; empty when there is none. Fails with
   *     {@link SiteException} when the site does not answer; the register may then have ended or
   *     not
   */
  public static CompletionStage<Optional<Payload>> at(
      SiteStore store,
      Bytes key,
      Consumer<Optional<Payload>> endCheck,
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
                        Envelope envelope = envelope(entry);
                        endCheck.accept(value(envelope));
                        if (entry.isPresent() && envelope.state() == null) {
                          end.set(envelope);
                          return CompletableFuture.completedFuture(false);
                        }
                        // The result is ignored; the next read decides.
                        return writeEnd(store, key, entry, envelope, deadline)
                            .handle((done, failure) -> true);
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

  private static CompletionStage<Boolean> writeEnd(
      SiteStore store,
      Bytes key,
      Optional<StoredEntry> entry,
      Envelope envelope,
      Deadline deadline) {
    Bytes endMarker =
        EnvelopeCodec.encode(
            new Envelope(
                envelope.stamp(),
                envelope.endMicros(),
                null,
                null,
                envelope.payload(),
                envelope.encrypted()));
    return entry.isEmpty()
        ? store.putIfAbsent(key, endMarker, deadline)
        : store.replace(key, entry.get().version(), endMarker, deadline);
  }
}
