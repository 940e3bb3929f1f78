package io.ensemble.cli.backup.format;

import io.ensemble.CacheDefinition;
import io.ensemble.site.Bytes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file of records. The file begins with {@value #MAGIC} and the version of the
 * format, in four bytes each. A record is its length in four bytes, then: the length of the key in
 * four bytes and the key, the length of the version in four bytes and the version, the expiry in
 * eight bytes, a byte that is 1 if there is a value, and the value up to the end of the record.
 * Numbers are big-endian.
 */
final class BackupRecordCodec {

  /** The letters "EnBk". */
  private static final int MAGIC = 0x456e426b;

  /** The bytes of a record beside key, version and value. */
  private static final int OVERHEAD = 2 * Integer.BYTES + Long.BYTES + 1;

  /** A longer record was not written by this class: a key or a value has its own limit. */
  static final int LONGEST = 3 * CacheDefinition.LARGEST_VALUE_BYTES + OVERHEAD;

  /** The bytes at the beginning of a file. */
  static final int HEADER = 2 * Integer.BYTES;

  private BackupRecordCodec() {}

  static void writeHeader(DataOutputStream out) throws IOException {
    out.writeInt(MAGIC);
    out.writeInt(BackupManifest.FORMAT);
  }

  /**
   * @throws UnknownBackupFormatException for a file of another format
   */
  static void readHeader(DataInputStream in, String file) throws IOException {
    int magic = in.readInt();
    int format = in.readInt();
    if (magic != MAGIC) {
      throw new UnknownBackupFormatException("file=" + file, "no file of a backup");
    }
    if (format != BackupManifest.FORMAT) {
      throw new UnknownBackupFormatException("file=" + file, String.valueOf(format));
    }
  }

  /** The number of bytes that the record has in a file. */
  static long size(BackupRecord record) {
    return (long) Integer.BYTES + length(record);
  }

  private static long length(BackupRecord record) {
    Bytes value = record.value();
    return (long) OVERHEAD
        + record.key().size()
        + record.version().size()
        + (value == null ? 0 : value.size());
  }

  static void write(DataOutputStream out, BackupRecord record) throws IOException {
    long length = length(record);
    if (length > LONGEST) {
      throw new BackupException(
          "record must have at most %d bytes; got %d".formatted(LONGEST, length));
    }
    out.writeInt((int) length);
    write(out, record.key());
    write(out, record.version());
    out.writeLong(record.expiryMicros());
    Bytes value = record.value();
    out.writeByte(value == null ? 0 : 1);
    if (value != null) {
      out.write(value.array());
    }
  }

  private static void write(DataOutputStream out, Bytes bytes) throws IOException {
    out.writeInt(bytes.size());
    out.write(bytes.array());
  }

  /**
   * The next record; empty at the end of the file.
   *
   * @param fileBytes the size of the file, which bounds the memory for a damaged record
   * @throws BackupException if the bytes are no record
   */
  static Optional<BackupRecord> read(DataInputStream in, String file, long fileBytes)
      throws IOException {
    int first = in.read();
    if (first < 0) {
      return Optional.empty();
    }
    try {
      int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
      if (length < OVERHEAD || length > Math.min(LONGEST, fileBytes)) {
        throw damaged(file, "length of a record=" + length, null);
      }
      int rest = length - OVERHEAD;
      Bytes key = read(in, rest, file);
      rest -= key.size();
      Bytes version = read(in, rest, file);
      rest -= version.size();
      long expiryMicros = in.readLong();
      boolean isPresent = in.readByte() == 1;
      if ((!isPresent && rest > 0) || (!isPresent && version.size() == 0)) {
        throw damaged(file, "a record without a value has " + rest + " bytes of it", null);
      }
      Bytes value = isPresent ? Bytes.of(in.readNBytes(rest)) : null;
      if (value != null && value.size() < rest) {
        throw new EOFException();
      }
      return Optional.of(new BackupRecord(key, version, expiryMicros, value));
    } catch (EOFException e) {
      throw damaged(file, "the last record is cut off", e);
    }
  }

  private static Bytes read(DataInputStream in, int longest, String file) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > longest) {
      throw damaged(file, "length of a part of a record=" + length, null);
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return Bytes.of(bytes);
  }

  private static BackupException damaged(String file, String what, @Nullable Throwable cause) {
    String message = "a file of the backup is damaged: %s; file=%s".formatted(what, file);
    return cause == null ? new BackupException(message) : new BackupException(message, cause);
  }
}
