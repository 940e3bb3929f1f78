package io.ensemble.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A picture of results.
 *
 * @param name the name of its file
 * @param svg its content
 */
public record SvgFile(String name, String svg) {

  /** Writes the picture to {@code directory}, which is created if absent, and returns its file. */
  public Path writeTo(Path directory) {
    Path file = directory.resolve(name);
    try {
      Files.createDirectories(directory);
      Files.writeString(file, svg);
    } catch (IOException e) {
      throw new UncheckedIOException("a picture cannot be written; file=" + file, e);
    }
    return file;
  }
}
