package io.ensemble.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A picture of results.
 *
 * @param name of its file
 * @param svg what is in it
 */
public record SvgFile(String name, String svg) {

  /** Writes it there, where the directory is made if it is not there; its file. */
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
