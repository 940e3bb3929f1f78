package io.ensemble.testkit.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small separate file system that can become full. Requires the right to mount. */
final class Tmpfs implements AutoCloseable {

  private final Path at;

  private Tmpfs(Path at) {
    this.at = at;
  }

  /** Mounts the file system; skips the test without the right to mount. */
  static Tmpfs mounted(Path at, int megabytes) throws IOException, InterruptedException {
    Files.createDirectories(at);
    boolean done = ran("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", "" + at);
    assumeTrue(done, "a file system may be mounted");
    return new Tmpfs(at);
  }

  void resize(int megabytes) throws IOException, InterruptedException {
    if (!ran("mount", "-o", "remount,size=" + megabytes + "m", at.toString())) {
      throw new IOException("cannot be resized: " + at);
    }
  }

  long usableBytes() throws IOException {
    return Files.getFileStore(at).getUsableSpace();
  }

  private static boolean ran(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (!ran("umount", "-l", at.toString())) {
      throw new IOException("cannot be unmounted: " + at);
    }
  }
}
