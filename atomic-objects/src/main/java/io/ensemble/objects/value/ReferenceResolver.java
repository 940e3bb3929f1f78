package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Optional;

/**
 * Recognizes proxies of atomic objects, and makes them again. Used by several threads at a time.
 */
public interface ReferenceResolver {

  /** Recognizes no proxy, and makes none. */
  ReferenceResolver NONE =
      new ReferenceResolver() {
        @Override
        public Optional<ObjectReference> of(Object value) {
          return Optional.empty();
        }

        @Override
        public Object open(ObjectReference reference, Class<?> declared) {
          throw new UnreadableException(
              "no atomic object can be opened in this context; reference=" + reference, null);
        }
      };

  /**
   * The reference to store in place of {@code value}, if {@code value} is a proxy of an atomic
   * object.
   */
  Optional<ObjectReference> of(Object value);

  /**
   * Makes a proxy for the object that {@code reference} names.
   *
   * @param declared the static class of the field or element it is for, {@code Object} if unknown
   * @throws UnreadableException if no proxy can be made
   */
  Object open(ObjectReference reference, Class<?> declared);
}
