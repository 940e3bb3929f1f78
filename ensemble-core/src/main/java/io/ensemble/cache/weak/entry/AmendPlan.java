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
public record AmendPlan<R>(StampGenerator stamps, int most, SiblingUpdate<Payload, R> amendment)
    implements ConditionalPlan<R> {

  /**
   * Replaces all values that the site shows by {@code value}; a removal of nothing writes nothing.
   */
  public static SiblingUpdate<Payload, Void> overwriting(@Nullable Payload value) {
    return found ->
        value == null && found.alive().isEmpty()
            ? Decision.keep(null)
            : Decision.write(found.seen(), value, null);
  }

  /** The same with the result of {@code update}, applied to the value that was written last. */
  public static <R> SiblingUpdate<Payload, R> updating(
      Update<Payload, R> update, StampGenerator stamps) {
    return found -> {
      Update.Decision<Payload, R> decision =
          update.decide(WeakEntries.latest(found, stamps.nowMicros()));
      return decision.writes()
          ? Decision.write(found.seen(), decision.value(), decision.result())
          : Decision.keep(decision.result());
    };
  }

  @Override
  public Next<R> decide(@Nullable Bytes found) {
    StoredSiblings<Payload> there =
        found == null ? StoredSiblings.none() : SiblingCodec.resident(WeakEntries.decode(found));
    Stamp last = there.siblings().last();
    boolean adopted = stamps.saw(last);
    Decision<Payload, R> decision = amendment.decide(there.siblings());
    if (!decision.renewed().isEmpty()) {
      Siblings<Payload> renewed = there.siblings().renewed(decision.renewed(), Payload::at);
      StoredSiblings<Payload> next = new StoredSiblings<>(renewed, there.actor());
      return new Next<>(StampedEntry.of(SiblingCodec.envelope(next)), last, decision.result(), 0);
    }
    ActorVersionVector overwritten = decision.overwritten();
    if (overwritten == null) {
      return Next.nothing(last, decision.result());
    }
    Payload value = decision.value();
    if (!adopted) {
      boolean removes = value == null && overwritten.covers(there.siblings().seen());
      return Next.tooFarAhead(last, decision.result(), removes);
    }
    Stamp latest = new Stamp(overwritten.latestMicros(), WriterId.NONE);
    if (!stamps.saw(latest)) { // From the caller's context, which may be forged.
      return Next.tooFarAhead(latest, decision.result(), false);
    }
    Stamp stamp = stamps.next();
    StoredSiblings<Payload> all =
        there.written(stamp, overwritten, value == null ? null : value.at(stamp));
    StoredSiblings<Payload> next = all.atMost(most);
    return new Next<>(
        StampedEntry.of(SiblingCodec.envelope(next)),
        last,
        decision.result(),
        all.siblings().alive().size() - next.siblings().alive().size());
  }

  /**
   * A later write of another process may have overwritten the value; the entry does not show that.
   */
  @Override
  public boolean isIn(Bytes found, Stamp written) {
    Siblings<Payload> there = SiblingMerge.siblings(StampedEntry.of(found));
    return there.last().equals(written)
        || there.alive().stream().anyMatch(one -> one.stamp().equals(written));
  }
}
