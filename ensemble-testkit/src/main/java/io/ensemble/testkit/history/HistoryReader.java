package io.ensemble.testkit.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads histories written as text, one JSON object per line. */
public final class HistoryReader {
  private HistoryReader() {}

  /**
   * Reads a whole file.
   *
   * @throws MalformedHistoryException if a line is neither an operation nor a note, or a client
   *     begins a second operation while one is under way; the message names the first such line
   * @throws IOException if the file cannot be read
   */
  public static OperationHistory read(Path file) throws IOException {
    try (Reader text = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      return read(text);
    }
  }

  /**
   * Reads to the end of {@code text} and does not close it.
   *
   * @throws MalformedHistoryException as {@link #read(Path)}
   * @throws IOException if {@code text} cannot be read
   */
  public static OperationHistory read(Reader text) throws IOException {
    BufferedReader lines =
        text instanceof BufferedReader buffered ? buffered : new BufferedReader(text);
    List<HistoryOperation> operations = new ArrayList<>();
    List<HistoryNote> notes = new ArrayList<>();
    long number = 1;
    for (String line = next(lines, number); line != null; line = next(lines, ++number)) {
      HistoryNote note = note(line, number);
      if (note == null) {
        operations.add(parse(line, number));
      } else {
        notes.add(note);
      }
    }
    return new OperationHistory(operations, notes);
  }

  private static @Nullable String next(BufferedReader lines, long number) throws IOException {
    try {
      return lines.readLine();
    } catch (CharacterCodingException e) {
      throw new MalformedHistoryException(
          number, "expected UTF-8 here or within the next 8192 bytes, got other bytes", e);
    }
  }

  private static @Nullable HistoryNote note(String line, long number) {
    try {
      return NoteLine.parse(line);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(number, String.valueOf(e.getMessage()), e);
    }
  }

  private static HistoryOperation parse(String line, long number) {
    try {
      return OperationLine.parse(line);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(number, String.valueOf(e.getMessage()), e);
    }
  }
}
