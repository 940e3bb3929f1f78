package io.ensemble.testkit.wan;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What emulations have left whose owners were killed. */
final class OrphanNamespaces {

  private OrphanNamespaces() {}

  /** Removes what is of no living owner, processes too, and returns the names. */
  static List<String> remove() {
    return remove(run -> !run.isOwned());
  }

  /** Removes what is of {@code run}, whether or not its owner is alive. */
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
