package io.ensemble.check.trial;

import io.ensemble.check.faults.FaultableSites;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The environment of a trial.
 *
 * @param sites the sites, and the faults that they support
 * @param catalog the address of the catalog
 * @param cache the name of the trial's own cache
 * @param directory the directory for the clients' parts of the history and their logs
 * @param progress receives short lines, from several threads
 */
public record CheckEnvironment(
    FaultableSites sites, String catalog, String cache, Path directory, Consumer<String> progress) {

  /** An environment with a cache of a new name. */
  public static CheckEnvironment of(
      FaultableSites sites, String catalog, Path directory, Consumer<String> progress) {
    String cache = "ensemble-check-" + UUID.randomUUID().toString().substring(0, 8);
    return new CheckEnvironment(sites, catalog, cache, directory, progress);
  }

  /** Reports progress. */
  public void tell(String line) {
    progress.accept(line);
  }
}
