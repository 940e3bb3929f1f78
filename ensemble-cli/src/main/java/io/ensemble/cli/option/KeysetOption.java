package io.ensemble.cli.option;

import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.keyset.KeysetFile;
import io.ensemble.keyset.KeysetReference;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The keyset of a private cache. */
public final class KeysetOption {

  /** The environment variable that names a keyset's file. */
  static final String VARIABLE = "ENSEMBLE_KEYSET";

  @Option(
      names = "--keyset",
      paramLabel = "FILE",
      description =
          "Keyset of a private cache ('ensemble keys create'); default: $$ENSEMBLE_KEYSET. Refused "
              + "for a cache that is not private.")
  @Nullable Path file;

  private Optional<Path> keysetFile() {
    String named = System.getenv(VARIABLE);
    return Optional.ofNullable(file)
        .or(() -> Optional.ofNullable(named).filter(path -> !path.isBlank()).map(Path::of));
  }

  /** Adds the keyset for {@code cache} to the builder, if there is one. */
  EnsembleCacheManagerBuilder addTo(EnsembleCacheManagerBuilder builder, String cache) {
    return keysetFile()
        .map(path -> builder.keyset(cache, KeysetReference.inFile(path)))
        .orElse(builder);
  }

  /** Fails, before a cache is created, if the keyset could not be used. */
  public void check(boolean isPrivate) {
    Optional<Path> path = keysetFile();
    if (path.isPresent() != isPrivate) {
      throw new CommandException(
          ExitCode.USAGE,
          isPrivate
              ? "--private requires a keyset: --keyset FILE"
              : "a keyset requires --private: add --private, or omit --keyset and $" + VARIABLE);
    }
    path.ifPresent(there -> KeysetFile.at(there).read());
  }
}
