package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Reads the records of one file, in their order, and compares the file with the manifest at its
 * end. For one thread at a time.
 */
public final class BackupFileReader implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  private final BackupFile file;
  private final String where;
  private final MessageDigest digest;
  private final DataInputStream in;
  private long records;

  private BackupFileReader(
      BackupFile file, String where, MessageDigest digest, DataInputStream in) {
    this.file = file;
    this.where = where;
    this.digest = digest;
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

  private static BackupFileReader of(InputStream stream, BackupFile file, String where)
      throws IOException {
    MessageDigest digest = FileDigest.sha256();
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(new DigestInputStream(stream, digest), BUFFER));
    try {
      BackupRecordCodec.readHeader(in, file.name());
      return new BackupFileReader(file, where, digest, in);
    } catch (EOFException e) {
      in.close();
      throw new BackupException(
          "a file of the backup is damaged: it has no header; file=" + file.name(), e);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /**
   * The next record; empty at the end.
   *
   * @throws BackupException if the file is not the one that was written
   */
  public Optional<BackupRecord> next() {
    try {
      Optional<BackupRecord> next = BackupRecordCodec.read(in, file.name(), file.bytes());
      if (next.isPresent()) {
        records++;
      } else {
        requireWhole();
      }
      return next;
    } catch (IOException e) {
      throw StoredBackup.unreadable(where, e);
    }
  }

  private void requireWhole() {
    if (!HexFormat.of().formatHex(digest.digest()).equals(file.sha256())) {
      throw new BackupException(
          "a file of the backup is damaged: it has another SHA-256; file=" + file.name());
    }
    if (records != file.records()) {
      throw new BackupException(
          "a file of the backup is damaged: it has %d records; expected %d; file=%s"
              .formatted(records, file.records(), file.name()));
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
