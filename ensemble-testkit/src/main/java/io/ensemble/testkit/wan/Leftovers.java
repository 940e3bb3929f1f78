package io.ensemble.testkit.wan;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What emulations have left whose owners were killed. */
final class Leftovers {

  private Leftovers() {}

  /** Removes what is of no living owner, processes too, and returns the names. */
  static List<String> remove() {
    return remove(run -> !run.isOwned());
  }

  /** Removes what is of {@code run}, whether or not its owner is alive. */
  static List<String> removeOf(Run run) {
    return remove(run::equals);
  }

  private static List<String> remove(Predicate<Run> which) {
    Predicate<String> named =
        name -> {
          Optional<Run> run = Run.of(name);
          return run.isPresent() && which.test(run.get());
        };
    List<Namespace> found = Namespace.existing(named);
    found.forEach(Namespace::remove);
    return found.stream().map(Namespace::name).toList();
  }
}
