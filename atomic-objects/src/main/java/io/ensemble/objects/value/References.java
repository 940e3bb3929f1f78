package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Optional;

/**
 * How proxies of atomic objects are recognised, and made again. Used by several threads at a time.
 */
public interface References {

  /** Recognises nothing, and opens nothing. */
  References NONE =
      new References() {
        @Override
        public Optional<Reference> of(Object value) {
          return Optional.empty();
        }

        @Override
        public Object open(Reference reference, Class<?> declared) {
          throw new UnreadableException(
              "no atomic object can be opened here; wanted " + reference, null);
        }
      };

  /** What to store in place of {@code value}, if that is the proxy of an atomic object. */
  Optional<Reference> of(Object value);

  /**
   * A proxy for the object that {@code reference} names.
   *
   * @param declared the static class of the field or element it is for, {@code Object} if unknown
   * @throws UnreadableException if there can be none
   */
  Object open(Reference reference, Class<?> declared);
}
