package io.ensemble.check.trial;

import io.ensemble.check.faults.FaultableSites;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Where a trial takes place.
 *
 * @param sites where it works, and what may be broken
 * @param catalog where caches are defined
 * @param cache the name of the trial's own cache
 * @param directory where the clients' parts of the history and their logs are kept
 * @param progress told in short lines, from several threads
 */
public record CheckEnvironment(
    FaultableSites sites, String catalog, String cache, Path directory, Consumer<String> progress) {

  /** One with a cache of a new name. */
  public static CheckEnvironment of(
      FaultableSites sites, String catalog, Path directory, Consumer<String> progress) {
    String cache = "ensemble-check-" + UUID.randomUUID().toString().substring(0, 8);
    return new CheckEnvironment(sites, catalog, cache, directory, progress);
  }

  /** Tells it. */
  public void tell(String line) {
    progress.accept(line);
  }
}
