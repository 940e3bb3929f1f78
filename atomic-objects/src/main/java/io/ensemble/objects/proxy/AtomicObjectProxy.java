package io.ensemble.objects.proxy;

import io.ensemble.objects.value.ObjectReference;
import java.util.Optional;

/** The interface that every proxy also implements. */
public interface AtomicObjectProxy {

  /**
   * The object that the proxy represents. The name of this method is one that no proxy type has.
   */
  CallTarget $ensembleCaller();

  /**
   * The reference to the object that {@code value} represents; empty if {@code value} is not a
   * proxy.
   */
  static Optional<ObjectReference> reference(Object value) {
    return value instanceof AtomicObjectProxy atomicObjectProxy
        ? Optional.of(
            new ObjectReference(
                atomicObjectProxy.$ensembleCaller().name(),
                atomicObjectProxy.$ensembleCaller().type()))
        : Optional.empty();
  }
}
