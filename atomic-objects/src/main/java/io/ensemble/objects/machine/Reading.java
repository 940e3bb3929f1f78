package io.ensemble.objects.machine;

import io.ensemble.objects.value.Values;
import org.jspecify.annotations.Nullable;

/** Reads values of others: whatever goes wrong with their bytes, they are unreadable here. */
final class Reading {

  private Reading() {}

  static @Nullable Object value(Values values, byte[] bytes, String what) {
    try {
      return values.read(bytes);
    } catch (UnreadableException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new UnreadableException(what + " cannot be read: " + e, e);
    }
  }
}
