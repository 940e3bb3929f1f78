package io.ensemble.objects.value;

/**
 * A codec of the application for the state of one class. Used by several threads at a time.
 *
 * @param <T> the class of the state
 */
public interface StateCodec<T> {

  /** Encodes {@code state} completely; equal states must have equal bytes. */
  byte[] write(T state);

  /** Decodes a new state that shares no object with an earlier one. */
  T read(byte[] bytes);
}
