package io.ensemble.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory that goes, with all that is in it, when it is closed.
 *
 * @param path where it is
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {

  private static final Path IN_MEMORY = Path.of("/dev/shm");

  /** One where the system has them. */
  public static TemporaryDirectory make(String prefix) {
    try {
      return new TemporaryDirectory(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("no directory can be made", e);
    }
  }

  /** One in memory, if this system has that. */
  public static TemporaryDirectory inMemory(String prefix) {
    if (!Files.isDirectory(IN_MEMORY)) {
      return make(prefix);
    }
    try {
      return new TemporaryDirectory(Files.createTempDirectory(IN_MEMORY, prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("no directory can be made", e);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be removed; directory=" + path, e);
    }
  }
}
