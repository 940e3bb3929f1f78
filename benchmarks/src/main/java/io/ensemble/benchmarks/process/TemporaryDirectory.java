package io.ensemble.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A directory that is removed, with all its content, when it is closed.
 *
 * @param path the path of the directory
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {

  private static final Path IN_MEMORY = Path.of("/dev/shm");

  /** Makes one in the system's directory for temporary files. */
  public static TemporaryDirectory make(String prefix) {
    try {
      return new TemporaryDirectory(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("no directory can be made", e);
    }
  }

  /** Makes one in memory, if this system supports that. */
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
