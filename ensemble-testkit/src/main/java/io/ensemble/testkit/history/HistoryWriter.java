package io.ensemble.testkit.history;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes operations as text, one JSON object per line, in the order given. Holds a few kilobytes,
 * independent of the length of the history. Not thread-safe; {@link HistoryRecorder} is.
 */
public final class HistoryWriter implements Closeable, Flushable {
  private final Writer text;
  private final JsonGenerator json;

  /** Writes to {@code text}; {@link #close} closes it as well. */
  public HistoryWriter(Writer text) throws IOException {
    this.text = text;
    this.json = JsonValues.MAPPER.createGenerator(text);
    json.setPrettyPrinter(new MinimalPrettyPrinter(""));
  }

  /** Writes to a new file, or replaces an existing one. */
  public static HistoryWriter to(Path file) throws IOException {
    return new HistoryWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  /** Writes a whole history to {@code file}: the operations, and then the notes. */
  public static void write(OperationHistory history, Path file) throws IOException {
    try (HistoryWriter writer = to(file)) {
      for (HistoryOperation operation : history.operations()) {
        writer.write(operation);
      }
      for (HistoryNote note : history.notes()) {
        writer.write(note);
      }
    }
  }

  /** Writes one operation and the end of its line. Buffered text needs {@link #flush}. */
  public void write(HistoryOperation operation) throws IOException {
    OperationLine.write(operation, json);
    json.writeRaw('\n');
  }

  /** Writes one note and the end of its line. Buffered text needs {@link #flush}. */
  public void write(HistoryNote note) throws IOException {
    json.flush();
    text.write(NoteLine.text(note));
    text.write('\n');
  }

  @Override
  public void flush() throws IOException {
    json.flush();
  }

  @Override
  public void close() throws IOException {
    json.close();
    text.close();
  }
}
