package io.ensemble.testkit.mwmr;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.cache.Payload;
import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Converts keys and values between histories and caches. */
public final class HistoryPayloads {

  private HistoryPayloads() {}

  public static Bytes key(String name) {
    return Bytes.of(name.getBytes(UTF_8));
  }

  public static Payload payload(long value) {
    return payload(value, 0);
  }

  public static Payload payload(long value, long endMicros) {
    return new Payload(Bytes.of(ByteBuffer.allocate(8).putLong(value).array()), endMicros);
  }

  /** The number in a payload; null when there is none. */
  public static Long number(Payload payload) {
    return payload == null ? null : ByteBuffer.wrap(payload.value().array()).getLong();
  }

  public static Long number(Optional<Payload> payload) {
    return number(payload.orElse(null));
  }
}
