package io.ensemble.testkit.history;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A file of notes that a process writes while it works, one JSON object per line. If the process is
 * killed, the notes before the last {@link #flush} are in the file. Thread-safe.
 */
public final class NoteFile implements Closeable {
  private final BufferedWriter text;

  private NoteFile(BufferedWriter text) {
    this.text = text;
  }

  /** Writes to a new file, or replaces an existing one. */
  public static NoteFile to(Path file) throws IOException {
    return new NoteFile(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  /** Writes one note; {@link #flush} hands it to the operating system. */
  public synchronized void write(HistoryNote note) throws IOException {
    text.write(NoteLine.text(note) + "\n");
  }

  public synchronized void flush() throws IOException {
    text.flush();
  }

  @Override
  public synchronized void close() throws IOException {
    text.close();
  }

  /**
   * Reads the notes of a process that may have been killed: a last line without an end is ignored.
   *
   * @throws MalformedHistoryException if another line is not a note
   */
  public static List<HistoryNote> read(Path file) throws IOException {
    String all = Files.readString(file);
    List<HistoryNote> notes = new ArrayList<>();
    int number = 0;
    for (String line : all.substring(0, all.lastIndexOf('\n') + 1).lines().toList()) {
      number++;
      try {
        notes.add(
            Objects.requireNonNull(
                NoteLine.parse(line), "expected a JSON object with the field kind, got another"));
      } catch (IllegalArgumentException | NullPointerException e) {
        throw new MalformedHistoryException(number, String.valueOf(e.getMessage()), e);
      }
    }
    return notes;
  }
}
