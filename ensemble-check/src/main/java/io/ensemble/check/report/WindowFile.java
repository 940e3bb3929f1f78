package io.ensemble.check.report;

import io.ensemble.InDoubtWrites;
import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.registers.ClientProcesses;
import io.ensemble.check.registers.ClientSpec;
import io.ensemble.stamp.Stamp;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The notes of one process about writes that the primary alone has acknowledged. Each note is
 * written to disk immediately, because a report may come when the history is closed already.
 * Thread-safe.
 */
public final class WindowFile implements AutoCloseable {
  private final int process;
  private final LongSupplier nanoClock;
  private final @Nullable BufferedWriter file;

  private WindowFile(int process, LongSupplier nanoClock, @Nullable BufferedWriter file) {
    this.process = process;
    this.nanoClock = nanoClock;
    this.file = file;
  }

  /** The file of a process; it records no notes if a majority acknowledges. */
  public static WindowFile of(ClientSpec order) throws IOException {
    String file = order.window();
    return new WindowFile(
        ClientProcesses.process(order.firstClient()),
        System::nanoTime,
        file == null ? null : Files.newBufferedWriter(Path.of(file)));
  }

  /** A write was acknowledged and changed its key. */
  public void done(long client, long callNanos, String key, Stamp stamp) {
    write(
        WindowLine.of(
            new WindowLine.AcknowledgedWrite(
                client, callNanos, WindowLine.WriteStamp.of(key, stamp))));
  }

  /** Writes are in doubt, or no longer. */
  public void report(InDoubtWrites<String> inDoubtWrites) {
    write(WindowLine.of(process, nanoClock.getAsLong(), inDoubtWrites));
  }

  private synchronized void write(WindowLine line) {
    if (file == null) {
      return;
    }
    try {
      file.write(JsonLines.json(line) + "\n");
      file.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The path of the notes on {@code history}, all in one file. */
  public static Path beside(Path history) {
    return history.resolveSibling(history.getFileName() + ".window.jsonl");
  }

  /** Writes the notes there; if there are none, removes an existing file. */
  static void writeBeside(Path history, List<WindowLine> lines) throws IOException {
    if (lines.isEmpty()) {
      Files.deleteIfExists(beside(history));
    } else {
      Files.write(beside(history), lines.stream().map(JsonLines::json).toList());
    }
  }

  /** All lines of a file. */
  public static List<WindowLine> read(Path file) throws IOException {
    List<WindowLine> all = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      all.add(JsonOutput.mapper().readValue(line, WindowLine.class));
    }
    return all;
  }

  @Override
  public synchronized void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
