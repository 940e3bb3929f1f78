package io.ensemble.check.listeners;

import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The position of a listener in a file, as a document of JSON. It is replaced as a whole, so a
 * killed process leaves the former one or the new one.
 *
 * @param stream the number of the stream
 * @param number the number of the last event that the position includes
 * @param position the position, as the stream returned it
 */
record SavedPosition(long stream, long number, String position) {

  void writeTo(Path file) throws IOException {
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(draft, JsonLines.json(this));
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  static SavedPosition readFrom(Path file) throws IOException {
    return JsonOutput.mapper().readValue(Files.readString(file), SavedPosition.class);
  }
}
