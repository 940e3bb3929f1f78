package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Optional;

/**
 * How proxies of atomic objects are recognised, and made again. Used by several threads at a time.
 */
public interface ReferenceResolver {

  /** Recognises nothing, and opens nothing. */
  ReferenceResolver NONE =
      new ReferenceResolver() {
        @Override
        public Optional<ObjectReference> of(Object value) {
          return Optional.empty();
        }

        @Override
        public Object open(ObjectReference reference, Class<?> declared) {
          throw new UnreadableException(
              "no atomic object can be opened here; wanted " + reference, null);
        }
      };

  /** What to store in place of {@code value}, if that is the proxy of an atomic object. */
  Optional<ObjectReference> of(Object value);

  /**
   * A proxy for the object that {@code reference} names.
   *
   * @param declared the static class of the field or element it is for, {@code Object} if unknown
   * @throws UnreadableException if there can be none
   */
  Object open(ObjectReference reference, Class<?> declared);
}
