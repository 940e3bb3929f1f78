package io.ensemble.check.registers;

import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.NoteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The stamps of the writes of one process that were acknowledged. Thread-safe. */
final class StampFile implements AutoCloseable {
  private final @Nullable NoteFile file;

  private StampFile(@Nullable NoteFile file) {
    this.file = file;
  }

  /** The file of that path; for null, one that records nothing. */
  static StampFile of(@Nullable String path) throws IOException {
    return new StampFile(path == null ? null : NoteFile.to(Path.of(path)));
  }

  /** A write was acknowledged and changed its key. */
  void done(long client, long callNanos, Stamp stamp) {
    if (file == null) {
      return;
    }
    try {
      file.write(new HistoryNote.StampReturned(client, callNanos, stamp));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
