package io.ensemble.objects.value;

/**
 * The user's own form of the state of one class. Used by several threads at a time.
 *
 * @param <T> the class of the state
 */
public interface StateCodec<T> {

  /** The bytes of {@code state}: all that {@link #read} needs, and the same for equal states. */
  byte[] write(T state);

  /** A new state, that shares nothing with an earlier one. */
  T read(byte[] bytes);
}
