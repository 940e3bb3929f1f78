package io.ensemble.testkit.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out loopback ports that stay usable over restarts. They are taken below the kernel's
 * ephemeral range: a port from inside that range may become the local end of some outgoing
 * connection while its node is down. Each is tried once, and never handed out twice in one JVM.
 */
public final class Ports {
  private static final int FIRST = 12_000;
  private static final int LAST = 31_000;
  private static final int TRIES = 2_000;
  private static final Set<Integer> TAKEN = new HashSet<>();

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
        if (allFree(first, length)) {
          for (int i = 0; i < length; i++) {
            TAKEN.add(first + i);
          }
          return first;
        }
      }
    }
    throw new IllegalStateException(
        "no free loopback ports; wanted=" + length + " range=" + FIRST + "-" + LAST);
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
