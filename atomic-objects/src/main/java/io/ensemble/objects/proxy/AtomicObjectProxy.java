package io.ensemble.objects.proxy;

import io.ensemble.objects.value.ObjectReference;
import java.util.Optional;

/** What every proxy also is. */
public interface AtomicObjectProxy {

  /** The object that it stands for; by a name that no face has. */
  CallTarget $ensembleCaller();

  /** What refers to the object that {@code value} stands for; empty if it is no proxy. */
  static Optional<ObjectReference> reference(Object value) {
    return value instanceof AtomicObjectProxy atomicObjectProxy
        ? Optional.of(
            new ObjectReference(
                atomicObjectProxy.$ensembleCaller().name(),
                atomicObjectProxy.$ensembleCaller().type()))
        : Optional.empty();
  }
}
