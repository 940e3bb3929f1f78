package io.ensemble.testkit.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * An ext4 file system in a file, which can lose its power. Data that was not forced to disk is then
 * lost, unlike after {@code kill -9}, which leaves the kernel's page cache. Requires the right to
 * mount, and {@code mkfs.ext4}.
 *
 * <p>The disk after the loss is a copy of the file, which contains only what the file system has
 * written to its device. The copy takes a moment in which the kernel may write back more. (To shut
 * ext4 down by its ioctl is no substitute: on Linux 6.18 an {@code fdatasync} that runs meanwhile
 * returns without an error now and then, although its data is not on the disk.)
 */
final class PowerLossDisk implements AutoCloseable {

  private final Path image;
  private final Path at;

  private PowerLossDisk(Path image, Path at) {
    this.image = image;
    this.at = at;
  }

  /**
   * Mounts the file system; skips the test if that is not possible.
   *
   * @param image the file, which must not exist
   * @param at where to mount it
   */
  static PowerLossDisk mounted(Path image, Path at, int megabytes)
      throws IOException, InterruptedException {
    Files.createDirectories(at);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength((long) megabytes << 20);
    }
    assumeTrue(ran("mkfs.ext4", "-q", "-F", "" + image), "mkfs.ext4 is installed");
    PowerLossDisk disk = new PowerLossDisk(image, at);
    assumeTrue(disk.mount(), "a file system may be mounted");
    return disk;
  }

  private boolean mount() throws IOException, InterruptedException {
    // The kernel writes nothing back by itself within a test.
    return ran("mount", "-o", "loop,commit=300", "" + image, "" + at);
  }

  /**
   * Saves the present content of the disk, which is its content after the power is restored. Stop
   * all processes that use the disk before this call, and kill them afterwards: their later writes
   * do not count.
   */
  void losePower() throws IOException, InterruptedException {
    require(ran("cp", "--sparse=always", "" + image, "" + lost()), "copied");
  }

  /** Mounts the disk again, as after a boot. No process may have a file of it open. */
  void restorePower() throws IOException, InterruptedException {
    require(ran("umount", "" + at), "unmounted");
    Files.move(lost(), image, StandardCopyOption.REPLACE_EXISTING);
    require(mount(), "mounted");
  }

  private Path lost() {
    return image.resolveSibling(image.getFileName() + "-lost");
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
    Files.deleteIfExists(lost());
    Files.delete(image);
  }
}
