package io.ensemble.process;

import java.io.File;

/**
 * The part of a disk that a node keeps free, and a check whether less is left. A disk that became
 * low stays low until one and a half times the reserve is free. This hysteresis keeps a node from
 * switching back and forth. Thread-safe.
 */
final class DiskReserve {

  private final File directory;
  private final long reserveBytes;
  private volatile boolean low;

  /**
   * @param directory a directory on the disk; if its file system cannot be queried, zero bytes
   *     count as free
   */
  DiskReserve(File directory, long reserveBytes) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
  }

  /**
   * Queries the file system, which takes microseconds, and returns whether the disk has become low
   * or still is.
   */
  boolean isLow() {
    long free = freeBytes();
    if (low ? free < resumeBytes() : free < reserveBytes) {
      low = true;
      return true;
    }
    low = false;
    return false;
  }

  /**
   * Whether so little space is left that any further write may fail. Writes of clients have been
   * refused long before.
   */
  boolean isAlmostFull() {
    return freeBytes() < reserveBytes / 4;
  }

  long freeBytes() {
    return directory.getUsableSpace();
  }

  long reserveBytes() {
    return reserveBytes;
  }

  /** The number of free bytes at which a low disk stops being low. */
  long resumeBytes() {
    return reserveBytes + reserveBytes / 2;
  }

  @Override
  public String toString() {
    return "directory=%s free_bytes=%d reserve_bytes=%d resume_bytes=%d"
        .formatted(directory, freeBytes(), reserveBytes, resumeBytes());
  }
}
