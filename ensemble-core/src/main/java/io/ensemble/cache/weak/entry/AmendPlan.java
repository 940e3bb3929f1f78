package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.SiblingUpdate.Decision;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import org.jspecify.annotations.Nullable;

/** Changes the siblings at a store. */
public record AmendPlan<R>(
    StampGenerator stamps, int maxSiblings, SiblingUpdate<Payload, R> amendment)
    implements ConditionalPlan<R> {

  /**
   * Replaces all values that the site shows by {@code value}; a removal of nothing writes nothing.
   */
  public static SiblingUpdate<Payload, Void> overwriting(@Nullable Payload value) {
    return siblings ->
        value == null && siblings.alive().isEmpty()
            ? Decision.keep(null)
            : Decision.write(siblings.seen(), value, null);
  }

  /** The same with the result of {@code update}, applied to the value that was written last. */
  public static <R> SiblingUpdate<Payload, R> updating(
      Update<Payload, R> update, StampGenerator stamps) {
    return siblings -> {
      Update.Decision<Payload, R> decision =
          update.decide(WeakEntries.latest(siblings, stamps.nowMicros()));
      return decision.writes()
          ? Decision.write(siblings.seen(), decision.value(), decision.result())
          : Decision.keep(decision.result());
    };
  }

  @Override
  public PlannedWrite<R> decide(@Nullable Bytes stored) {
    StoredSiblings<Payload> storedSiblings =
        stored == null ? StoredSiblings.none() : SiblingCodec.resident(WeakEntries.decode(stored));
    Stamp last = storedSiblings.siblings().last();
    boolean isAdopted = stamps.observe(last);
    Decision<Payload, R> decision = amendment.decide(storedSiblings.siblings());
    if (!decision.renewed().isEmpty()) {
      Siblings<Payload> renewed =
          storedSiblings.siblings().renewed(decision.renewed(), Payload::at);
      StoredSiblings<Payload> next = new StoredSiblings<>(renewed, storedSiblings.actor());
      return new PlannedWrite<>(
          StampedEntry.of(SiblingCodec.envelope(next)), last, decision.result(), 0);
    }
    ActorVersionVector overwritten = decision.overwritten();
    if (overwritten == null) {
      return PlannedWrite.nothing(last, decision.result());
    }
    Payload value = decision.value();
    if (!isAdopted) {
      boolean isRemoval = value == null && overwritten.covers(storedSiblings.siblings().seen());
      return PlannedWrite.tooFarAhead(last, decision.result(), isRemoval);
    }
    Stamp latest = new Stamp(overwritten.latestMicros(), WriterId.NONE);
    if (!stamps.observe(latest)) { // From the caller's context, which may be forged.
      return PlannedWrite.tooFarAhead(latest, decision.result(), false);
    }
    Stamp stamp = stamps.next();
    StoredSiblings<Payload> allSiblings =
        storedSiblings.written(stamp, overwritten, value == null ? null : value.at(stamp));
    StoredSiblings<Payload> next = allSiblings.atMost(maxSiblings);
    return new PlannedWrite<>(
        StampedEntry.of(SiblingCodec.envelope(next)),
        last,
        decision.result(),
        allSiblings.siblings().alive().size() - next.siblings().alive().size());
  }

  /**
   * A later write of another process may have overwritten the value; the entry does not show that.
   */
  @Override
  public boolean isIn(Bytes stored, Stamp written) {
    Siblings<Payload> siblings = SiblingMerge.siblings(StampedEntry.of(stored));
    return siblings.last().equals(written)
        || siblings.alive().stream().anyMatch(sibling -> sibling.stamp().equals(written));
  }
}
