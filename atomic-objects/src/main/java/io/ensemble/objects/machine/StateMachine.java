package io.ensemble.objects.machine;

import org.jspecify.annotations.Nullable;

/**
 * A sequential object as the protocol uses it: its state can be read from bytes, changed by one
 * call, and written. Not thread-safe; each instance of the state is used by one thread at a time.
 */
public interface StateMachine {

  /**
   * Decodes a new state object.
   *
   * @throws UnreadableException if the bytes have another type or format
   */
  Object load(byte[] state);

  /**
   * Encodes the state.
   *
   * @throws NotAppliedException if the state contains a value that cannot be written
   */
  byte[] store(Object state);

  /**
   * Applies one call. An exception of the method is an outcome like any other, and changes that the
   * method made before it threw remain.
   *
   * @return the outcome, which the sender of {@code call} can read
   * @throws NotAppliedException if the call has no outcome: it counts as not made, and {@code
   *     state}, which may be partly changed, must not be used again
   * @throws UnreadableException if this process cannot read the call; {@code state} is unchanged
   */
  byte[] apply(Object state, byte[] call);

  /**
   * As {@link #apply(Object, byte[])}, and passes the number of the call to the method.
   *
   * @param position the number of this call among all calls ever made under the name of the object,
   *     from 1
   */
  default byte[] apply(Object state, byte[] call, long position) {
    return apply(state, call);
  }

  /**
   * As {@link #apply(Object, byte[], long)}, for a call that changes nothing. Its outcome stays in
   * this process, so its size has no limit.
   */
  default byte[] peek(Object state, byte[] call, long position) {
    return apply(state, call, position);
  }

  /** The call that a {@link NextCaller} expects; null if unknown. */
  default NextCaller.@Nullable ExpectedCall expectedCall(Object state) {
    return state instanceof NextCaller known ? known.expectedCall() : null;
  }

  /**
   * Returns a number that is equal for equal states, and almost always differs for other states;
   * never 0.
   */
  default long fingerprint(Object state) {
    return java.util.Arrays.hashCode(store(state)) | 1L;
  }
}
