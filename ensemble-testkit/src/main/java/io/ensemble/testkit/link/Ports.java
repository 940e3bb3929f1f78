package io.ensemble.testkit.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Allocates loopback ports that stay usable over restarts. They are below the kernel's ephemeral
 * range: a port inside that range may become the local end of some outgoing connection while its
 * node is down. Each port is tried once, and never allocated twice in one JVM. Two JVMs of one user
 * do not allocate the same port either: until it ends, a JVM locks a byte of a shared file for each
 * port.
 */
public final class Ports {
  private static final int FIRST = 12_000;
  private static final int LAST = 31_000;
  private static final int TRIES = 2_000;
  private static final Set<Integer> TAKEN = new HashSet<>();
  private static final Path LOCKS =
      Path.of(
          System.getProperty("java.io.tmpdir"),
          "ensemble-ports-" + System.getProperty("user.name", "nobody"));
  private static final @Nullable FileChannel FILE = openLockFile();

  private Ports() {}

  /**
   * Returns the first of {@code length} adjacent free ports.
   *
   * @throws IllegalStateException if none is found
   */
  public static int reserve(int length) {
    synchronized (TAKEN) {
      for (int attempt = 0; attempt < TRIES; attempt++) {
        int first = ThreadLocalRandom.current().nextInt(FIRST, LAST - length);
        if (allFree(first, length) && tryLockRange(first, length)) {
          for (int i = 0; i < length; i++) {
            TAKEN.add(first + i);
          }
          return first;
        }
      }
    }
    throw new IllegalStateException(
        "no free loopback ports; requested=" + length + " range=" + FIRST + "-" + LAST);
  }

  /**
   * The file is never removed, otherwise two JVMs might lock two different files. Null if the file
   * cannot be opened; ports are then not protected against other JVMs.
   */
  private static @Nullable FileChannel openLockFile() {
    try {
      return FileChannel.open(LOCKS, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      return null;
    }
  }

  /** The lock is released at the end of this JVM. */
  static boolean tryLockRange(int first, int length) {
    if (FILE == null) {
      return true;
    }
    try {
      return FILE.tryLock(first, length, false) != null;
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  private static boolean allFree(int first, int length) {
    for (int port = first; port < first + length; port++) {
      if (TAKEN.contains(port) || !free(port)) {
        return false;
      }
    }
    return true;
  }

  private static boolean free(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
