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
  public PlannedWrite<R> decide(@Nullable Bytes stored) {
    Envelope envelope = stored == null ? null : WeakEntries.decode(stored);
    Stamp stamp = envelope == null ? Stamp.NONE : envelope.stamp();
    boolean isAdopted = stamps.observe(stamp);
    Payload current = envelope == null ? null : WeakEntries.live(envelope, stamps.nowMicros());
    Decision<Payload, R> decision = update.decide(current);
    if (!decision.writes()) {
      return PlannedWrite.nothing(stamp, decision.result());
    }
    Payload value = decision.value();
    boolean isSameValue = value != null && value.isSameValue();
    if (!isAdopted && !isSameValue) {
      return PlannedWrite.tooFarAhead(stamp, decision.result(), value == null);
    }
    Stamp next = isSameValue ? stamp.rightAfter() : stamps.next();
    return new PlannedWrite<>(WeakEntries.entry(next, value), stamp, decision.result(), 0);
  }

  @Override
  public boolean isIn(Bytes stored, Stamp written) {
    return StampedEntry.of(stored).stamp().equals(written);
  }
}
