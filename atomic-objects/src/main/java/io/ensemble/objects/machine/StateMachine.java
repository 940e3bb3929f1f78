package io.ensemble.objects.machine;

/**
 * A sequential object as the construction sees it: its state can be read from bytes, changed by one
 * call, and written. Not thread-safe; every instance of the state has one user at a time.
 */
public interface StateMachine {

  /**
   * A new state object.
   *
   * @throws UnreadableException if the bytes are of another type or format
   */
  Object load(byte[] state);

  /**
   * The state as bytes.
   *
   * @throws NotAppliedException if it holds what cannot be written
   */
  byte[] store(Object state);

  /**
   * Applies one call. What the method throws is an outcome like any other, and what it changed
   * before stays changed.
   *
   * @return the outcome, for {@code call}'s sender to read
   * @throws NotAppliedException if the call has no outcome: it is as if it had not been made, and
   *     {@code state}, half changed perhaps, must not be used again
   * @throws UnreadableException if this process cannot read the call; {@code state} is as it was
   */
  byte[] apply(Object state, byte[] call);

  /**
   * As {@link #apply(Object, byte[])}, telling the method which call of the object it is.
   *
   * @param position the number of this call among all that this object's name has ever seen, from 1
   */
  default byte[] apply(Object state, byte[] call, long position) {
    return apply(state, call);
  }

  /**
   * As {@link #apply(Object, byte[], long)}, of a call that changes nothing: its outcome stays
   * here, so that no length is too much.
   */
  default byte[] peek(Object state, byte[] call, long position) {
    return apply(state, call, position);
  }

  /** A number that two states share if they are alike, and hardly ever otherwise; never 0. */
  default long fingerprint(Object state) {
    return java.util.Arrays.hashCode(store(state)) | 1L;
  }
}
