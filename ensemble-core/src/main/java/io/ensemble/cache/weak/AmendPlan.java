package io.ensemble.cache.weak;

import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.sibling.Amendment;
import io.ensemble.sibling.Amendment.Decision;
import io.ensemble.sibling.Causes;
import io.ensemble.sibling.Resident;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import org.jspecify.annotations.Nullable;

/** An amendment of the siblings that a store shows, applied there. */
record AmendPlan<R>(Stamps stamps, int most, Amendment<Payload, R> amendment) implements Plan<R> {

  /** Takes the place of all that the site shows; nothing is left of nothing. */
  static Amendment<Payload, Void> overwriting(@Nullable Payload value) {
    return found ->
        value == null && found.alive().isEmpty()
            ? Decision.keep(null)
            : Decision.write(found.seen(), value, null);
  }

  /** The same with what {@code update} makes of the value that was written last. */
  static <R> Amendment<Payload, R> updating(Update<Payload, R> update, Stamps stamps) {
    return found -> {
      Update.Decision<Payload, R> decision =
          update.decide(Entries.latest(found, stamps.nowMicros()));
      return decision.writes()
          ? Decision.write(found.seen(), decision.value(), decision.result())
          : Decision.keep(decision.result());
    };
  }

  @Override
  public Next<R> decide(@Nullable Bytes found) {
    Resident<Payload> there =
        found == null ? Resident.none() : SiblingCodec.resident(Entries.decode(found));
    Stamp last = there.siblings().last();
    boolean adopted = stamps.saw(last);
    Decision<Payload, R> decision = amendment.decide(there.siblings());
    if (!decision.renewed().isEmpty()) {
      Siblings<Payload> renewed = there.siblings().renewed(decision.renewed(), Payload::at);
      Resident<Payload> next = new Resident<>(renewed, there.actor());
      return new Next<>(Held.of(SiblingCodec.envelope(next)), last, decision.result(), 0);
    }
    Causes overwritten = decision.overwritten();
    if (overwritten == null) {
      return Next.nothing(last, decision.result());
    }
    Payload value = decision.value();
    if (!adopted) {
      boolean removes = value == null && overwritten.covers(there.siblings().seen());
      return Next.tooFarAhead(last, decision.result(), removes);
    }
    Stamp latest = new Stamp(overwritten.latestMicros(), WriterId.NONE);
    if (!stamps.saw(latest)) { // The caller says so; a context of its own making, perhaps.
      return Next.tooFarAhead(latest, decision.result(), false);
    }
    Stamp stamp = stamps.next();
    Resident<Payload> all =
        there.written(stamp, overwritten, value == null ? null : value.at(stamp));
    Resident<Payload> next = all.atMost(most);
    return new Next<>(
        Held.of(SiblingCodec.envelope(next)),
        last,
        decision.result(),
        all.siblings().alive().size() - next.siblings().alive().size());
  }

  /** What others wrote since may have overwritten it; then nothing here tells. */
  @Override
  public boolean isIn(Bytes found, Stamp written) {
    Siblings<Payload> there = Joined.siblings(Held.of(found));
    return there.last().equals(written)
        || there.alive().stream().anyMatch(one -> one.stamp().equals(written));
  }
}
