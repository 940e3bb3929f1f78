package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the records of one file, in their order. For one thread at a time. */
public final class BackupFileReader implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  private final String name;
  private final DataInputStream in;

  private BackupFileReader(String name, DataInputStream in) {
    this.name = name;
    this.in = in;
  }

  /**
   * Opens a file.
   *
   * @param root the directory of the backup
   * @throws UnknownBackupFormatException if the file has another format
   * @throws BackupException if the file cannot be read
   */
  public static BackupFileReader open(Path root, BackupFile file) {
    try {
      DataInputStream in =
          new DataInputStream(
              new BufferedInputStream(
                  Files.newInputStream(BackupDirectory.below(root, file.name())), BUFFER));
      try {
        BackupRecordCodec.readHeader(in, file.name());
      } catch (IOException | RuntimeException e) {
        in.close();
        throw e;
      }
      return new BackupFileReader(file.name(), in);
    } catch (EOFException e) {
      throw new BackupException(
          "a file of the backup is damaged: it has no header; file=" + file.name(), e);
    } catch (IOException e) {
      throw BackupDirectory.unreadable(root.resolve(file.name()), e);
    }
  }

  /** The next record; empty at the end. */
  public Optional<BackupRecord> next() {
    try {
      return BackupRecordCodec.read(in, name);
    } catch (IOException e) {
      throw BackupDirectory.unreadable(Path.of(name), e);
    }
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw BackupDirectory.unreadable(Path.of(name), e);
    }
  }
}
