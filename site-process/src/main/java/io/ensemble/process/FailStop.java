package io.ensemble.process;

import org.infinispan.server.Server;
import org.jspecify.annotations.Nullable;

/** Ends this process as a crash would, when the process must not answer any more. */
final class FailStop {

  /** The exit status of a node whose disk failed to take a required write. */
  static final int DISK_FAILED = 114;

  private final DiskReserve disk;

  FailStop(DiskReserve disk) {
    this.disk = disk;
  }

  void halt(String why, @Nullable Throwable cause) {
    String message = "stopping the node like a crash: " + why + "; " + disk;
    try {
      System.err.println(message + (cause == null ? "" : " cause=" + cause));
      Server.log.error(message, cause);
    } catch (RuntimeException | Error noRoomForIt) {
      // The exit status carries the reason, too.
    } finally {
      Runtime.getRuntime().halt(DISK_FAILED);
    }
  }
}
