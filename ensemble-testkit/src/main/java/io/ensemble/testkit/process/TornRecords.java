package io.ensemble.testkit.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Repairs the records that a node was writing to its stores when it was killed. Infinispan 16.0.7
 * writes a record in several steps: header, key, value. It acknowledges the record when all is on
 * the disk. At its start it accepts header and key of a record that ends before its value. The key
 * can then no longer be read from the store, though an earlier record of it is complete and was
 * acknowledged. Also, no iteration over the store ends. An incomplete record was never
 * acknowledged, so this class truncates it.
 */
final class TornRecords {

  /** Names of files of records, in the format of Infinispan 12.1 and later. */
  private static final Pattern FILE = Pattern.compile("ispn12\\.[0-9]+");

  private static final byte MAGIC = 1;

  /** Magic byte, lengths of key, metadata, value and internal metadata, number, expiry. */
  private static final int HEADER_BYTES = 1 + 2 + 2 + 4 + 2 + 8 + 8;

  private TornRecords() {}

  /**
   * Truncates an incomplete record at the end of each file of a node that does not run. Other files
   * stay unchanged.
   *
   * @param data the server's data directory; no effect if it does not exist
   * @return the files that were truncated
   */
  static List<Path> truncate(Path data) throws IOException {
    List<Path> cut = new ArrayList<>();
    if (Files.isDirectory(data)) {
      try (Stream<Path> all = Files.walk(data)) {
        for (Path file : all.filter(TornRecords::isOfRecords).toList()) {
          if (truncateIfTorn(file)) {
            cut.add(file);
          }
        }
      }
    }
    return cut;
  }

  private static boolean isOfRecords(Path file) {
    return FILE.matcher(file.getFileName().toString()).matches() && Files.isRegularFile(file);
  }

  private static boolean truncateIfTorn(Path file) throws IOException {
    try (FileChannel records =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long size = records.size();
      long at = 0;
      while (at < size) {
        long length = size - at < HEADER_BYTES ? HEADER_BYTES : length(records, at);
        if (length < 0) {
          return false; // Not a record, so it stays unchanged.
        }
        if (length > size - at) {
          records.truncate(at);
          records.force(true);
          return true;
        }
        at += length;
      }
      return false;
    }
  }

  /** The length of the record that begins at {@code at}; negative if none does. */
  private static long length(FileChannel records, long at) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    while (header.hasRemaining()) {
      if (records.read(header, at + header.position()) < 0) {
        return -1;
      }
    }
    header.flip();
    if (header.get() != MAGIC) {
      return -1;
    }
    int key = header.getShort();
    int metadata = header.getShort();
    int value = header.getInt();
    int internal = header.getShort();
    boolean isSound = key >= 0 && metadata >= 0 && value >= 0 && internal >= 0;
    return isSound ? (long) HEADER_BYTES + key + metadata + value + internal : -1;
  }
}
