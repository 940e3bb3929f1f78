package io.ensemble.cache;

import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives a value to be encrypted the stamp of its write, in modes whose entries have stamps of their
 * own protocol. Processes without a keyset may renew those stamps. Along the values of a key, the
 * stamps given here rise.
 */
public final class StampedUpdate {

  /** How far the stamp of a stored value may be ahead of the local clock to be accepted. */
  private static final long FARTHEST_MICROS = TimeUnit.DAYS.toMicros(1);

  private StampedUpdate() {}

  /** The same update, with each value encrypted before it is written. */
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
   * The time of the present value's write, as its unauthenticated envelope states it. The result is
   * 0 for a value that is not encrypted or that states an implausible time. Otherwise one bad entry
   * would end all writes.
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
