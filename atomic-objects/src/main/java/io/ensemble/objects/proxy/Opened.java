package io.ensemble.objects.proxy;

import io.ensemble.objects.value.Reference;
import java.util.Optional;

/** What every proxy also is. */
public interface Opened {

  /** The object that it stands for; by a name that no face has. */
  Caller $ensembleCaller();

  /** What refers to the object that {@code value} stands for; empty if it is no proxy. */
  static Optional<Reference> reference(Object value) {
    return value instanceof Opened opened
        ? Optional.of(
            new Reference(opened.$ensembleCaller().name(), opened.$ensembleCaller().type()))
        : Optional.empty();
  }
}
