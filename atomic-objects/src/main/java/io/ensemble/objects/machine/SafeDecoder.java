package io.ensemble.objects.machine;

import io.ensemble.objects.value.ValueCodec;
import org.jspecify.annotations.Nullable;

/**
 * Decodes values written by other processes: any failure means that the values are unreadable in
 * this process.
 */
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
