package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where pictures go. */
final class Figures {

  private Figures() {}

  static void write(Effort effort, String name, String svg) {
    Path file = effort.crowd().figures().resolve(name);
    try {
      Files.createDirectories(effort.crowd().figures());
      Files.writeString(file, svg);
    } catch (IOException e) {
      throw new UncheckedIOException("a picture cannot be written; file=" + file, e);
    }
    effort.say("drew %s", file);
  }
}
