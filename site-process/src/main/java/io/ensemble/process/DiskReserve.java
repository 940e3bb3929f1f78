package io.ensemble.process;

import java.io.File;

/**
 * The part of a disk that a node keeps free, and whether the disk has less left. Once it has, it is
 * low until half as much again is free, so that a node does not go back and forth. Thread-safe.
 */
final class DiskReserve {

  private final File directory;
  private final long reserveBytes;
  private volatile boolean low;

  /**
   * @param directory on the disk; where it cannot be looked at, nothing counts as free
   */
  DiskReserve(File directory, long reserveBytes) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
  }

  /** Asks the file system, which takes microseconds, and whether the disk is low since or still. */
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
   * Whether so little is left that whatever else is written may fail. Clients' writes have stopped
   * long before.
   */
  boolean isNearlyUsedUp() {
    return freeBytes() < reserveBytes / 4;
  }

  long freeBytes() {
    return directory.getUsableSpace();
  }

  long reserveBytes() {
    return reserveBytes;
  }

  /** With so much free a disk that was low is low no more. */
  long resumeBytes() {
    return reserveBytes + reserveBytes / 2;
  }

  @Override
  public String toString() {
    return "directory=%s free_bytes=%d reserve_bytes=%d resume_bytes=%d"
        .formatted(directory, freeBytes(), reserveBytes, resumeBytes());
  }
}
