package io.ensemble.testkit.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An ext4 file system in a file, which can lose its power: what was not forced to it is gone then,
 * unlike after {@code kill -9}, which leaves the kernel's page cache. Requires root, {@code
 * mkfs.ext4} and {@code python3}.
 */
final class PowerLossDisk implements AutoCloseable {

  /** The request EXT4_IOC_SHUTDOWN with the flag NOLOGFLUSH: nothing more reaches the disk. */
  private static final String SHUT_DOWN =
      "import fcntl, os, struct, sys;"
          + " fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

  private final Path image;
  private final Path at;

  private PowerLossDisk(Path image, Path at) {
    this.image = image;
    this.at = at;
  }

  /**
   * Skips the test where no such file system can be mounted.
   *
   * @param image the file, which must not be there
   * @param at where to mount it
   */
  static PowerLossDisk mounted(Path image, Path at, int megabytes)
      throws IOException, InterruptedException {
    Files.createDirectories(at);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength((long) megabytes << 20);
    }
    assumeTrue(ran("python3", "-c", "import fcntl"), "python3 is installed");
    assumeTrue(ran("mkfs.ext4", "-q", "-F", "" + image), "mkfs.ext4 is installed");
    PowerLossDisk disk = new PowerLossDisk(image, at);
    assumeTrue(disk.mount(), "a file system may be mounted");
    return disk;
  }

  private boolean mount() throws IOException, InterruptedException {
    // Nothing is written back by itself within a test.
    return ran("mount", "-o", "loop,commit=300", "" + image, "" + at);
  }

  /** From now on all that processes do with the file system fails. What was forced stays. */
  void losePower() throws IOException, InterruptedException {
    require(ran("python3", "-c", SHUT_DOWN, "" + at), "shut down");
  }

  /** Mounts it anew, as after a boot. No process may have a file of it open. */
  void restorePower() throws IOException, InterruptedException {
    require(ran("umount", "" + at), "unmounted");
    require(mount(), "mounted");
  }

  private void require(boolean done, String what) throws IOException {
    if (!done) {
      throw new IOException("cannot be " + what + ": " + at);
    }
  }

  private static boolean ran(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException notInstalled) {
      return false;
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    require(ran("umount", "-l", "" + at), "unmounted");
    Files.delete(image);
  }
}
