package io.ensemble.testkit.wan;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The remains of emulations whose owners were killed. */
final class OrphanNamespaces {

  private OrphanNamespaces() {}

  /**
   * Removes the namespaces without a living owner, with their processes, and returns their names.
   */
  static List<String> remove() {
    return remove(run -> !run.isOwned());
  }

  /** Removes the namespaces of {@code run}, whether or not its owner is alive. */
  static List<String> removeOf(EmulationId run) {
    return remove(run::equals);
  }

  private static List<String> remove(Predicate<EmulationId> which) {
    Predicate<String> named =
        name -> {
          Optional<EmulationId> run = EmulationId.of(name);
          return run.isPresent() && which.test(run.get());
        };
    List<NetworkNamespace> found = NetworkNamespace.existing(named);
    found.forEach(NetworkNamespace::remove);
    return found.stream().map(NetworkNamespace::name).toList();
  }
}
