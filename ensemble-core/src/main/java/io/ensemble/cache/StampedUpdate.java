package io.ensemble.cache;

import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives values that are to be encrypted the stamp of their write, in modes whose entries have
 * stamps of their protocol's own, which others may renew who have no key. Along the values of a key
 * the stamps rise.
 */
public final class StampedUpdate {

  /** How far another's clock may be ahead of ours to be heeded. */
  private static final long FARTHEST_MICROS = TimeUnit.DAYS.toMicros(1);

  private StampedUpdate() {}

  /** The same update, which writes no value that is still to be encrypted. */
  public static <R> Update<Payload, R> of(EngineContext cache, Update<Payload, R> update) {
    return current -> {
      Decision<Payload, R> decision = update.decide(current);
      Payload value = decision.value();
      return value == null || value.sealing() == null
          ? decision
          : Decision.write(
              value.at(new Stamp(cache.clock().after(micros(cache, current)), cache.writer())),
              decision.result());
    };
  }

  /**
   * When it was written, as it says itself, which nobody has authenticated here: 0 of what is no
   * encrypted value and of what says a time that no clock has, or one bad entry would end all
   * writes.
   */
  private static long micros(EngineContext cache, @Nullable Payload current) {
    if (current == null || !current.encrypted()) {
      return 0;
    }
    try {
      long micros = EncryptedPayload.of(current.value()).stamp().micros();
      return micros <= cache.clock().physicalMicros() + FARTHEST_MICROS ? micros : 0;
    } catch (MalformedEnvelopeException strange) {
      return 0;
    }
  }
}
