package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/** An update of the only value of a key. */
public record UpdatePlan<R>(StampGenerator stamps, Update<Payload, R> update)
    implements ConditionalPlan<R> {

  @Override
  public Next<R> decide(@Nullable Bytes found) {
    Envelope envelope = found == null ? null : WeakEntries.decode(found);
    Stamp stamp = envelope == null ? Stamp.NONE : envelope.stamp();
    boolean adopted = stamps.saw(stamp);
    Payload current = envelope == null ? null : WeakEntries.live(envelope, stamps.nowMicros());
    Decision<Payload, R> decision = update.decide(current);
    if (!decision.writes()) {
      return Next.nothing(stamp, decision.result());
    }
    Payload value = decision.value();
    boolean same = value != null && value.isSameValue();
    if (!adopted && !same) {
      return Next.tooFarAhead(stamp, decision.result(), value == null);
    }
    Stamp next = same ? stamp.rightAfter() : stamps.next();
    return new Next<>(WeakEntries.entry(next, value), stamp, decision.result(), 0);
  }

  @Override
  public boolean isIn(Bytes found, Stamp written) {
    return StampedEntry.of(found).stamp().equals(written);
  }
}
