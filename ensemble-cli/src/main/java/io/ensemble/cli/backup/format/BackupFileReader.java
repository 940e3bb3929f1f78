package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Reads the records of one file, in their order. For one thread at a time. */
public final class BackupFileReader implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  private final BackupFile file;
  private final String where;
  private final DataInputStream in;

  private BackupFileReader(BackupFile file, String where, DataInputStream in) {
    this.file = file;
    this.where = where;
    this.in = in;
  }

  /**
   * Opens a file.
   *
   * @throws UnknownBackupFormatException if the file has another format
   * @throws BackupException if the file cannot be read
   */
  public static BackupFileReader open(BackupStore store, BackupFile file) {
    String where = store.location(file.name());
    try {
      return of(store.read(file.name()), file, where);
    } catch (IOException e) {
      throw StoredBackup.unreadable(where, e);
    }
  }

  /** Reads from a stream, which is closed with the reader, and if its header is not readable. */
  static BackupFileReader of(InputStream stream, BackupFile file, String where) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(stream, BUFFER));
    try {
      BackupRecordCodec.readHeader(in, file.name());
      return new BackupFileReader(file, where, in);
    } catch (EOFException e) {
      in.close();
      throw new BackupException(
          "a file of the backup is damaged: it has no header; file=" + file.name(), e);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** The next record; empty at the end. */
  public Optional<BackupRecord> next() {
    try {
      return BackupRecordCodec.read(in, file.name(), file.bytes());
    } catch (IOException e) {
      throw StoredBackup.unreadable(where, e);
    }
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw StoredBackup.unreadable(where, e);
    }
  }
}
