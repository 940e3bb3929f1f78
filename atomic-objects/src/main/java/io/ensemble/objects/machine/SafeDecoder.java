package io.ensemble.objects.machine;

import io.ensemble.objects.value.ValueCodec;
import org.jspecify.annotations.Nullable;

/** Reads values of others: whatever goes wrong with their bytes, they are unreadable here. */
final class SafeDecoder {

  private SafeDecoder() {}

  static @Nullable Object value(ValueCodec valueCodec, byte[] bytes, String what) {
    try {
      return valueCodec.read(bytes);
    } catch (UnreadableException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new UnreadableException(what + " cannot be read: " + e, e);
    }
  }
}
