package io.ensemble.process;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.infinispan.server.Bootstrap;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Runs the Infinispan Server until it is stopped, or until its standard input ends, which it does
 * with the process that started it, however that died. Then it halts at once, as a crash would: the
 * nodes of a site that are orphaned together must end together, for those that left in good order
 * would let the last one take writes that only it has.
 */
public final class TetheredServer {

  private static final int FAILED = 1;
  private static final int ORPHANED = 113;

  private TetheredServer() {}

  /** Takes the server's own arguments. */
  public static void main(String[] arguments) {
    // A terminal sends these to everyone on it; the starter says when and in which order to end.
    for (String name : List.of("INT", "HUP")) {
      Signal.handle(new Signal(name), SignalHandler.SIG_IGN);
    }
    Thread tether = new Thread(() -> haltAtTheEndOf(System.in), "tether");
    tether.setDaemon(true);
    tether.start();
    try {
      Bootstrap.main(arguments);
    } catch (RuntimeException | Error failed) {
      // Threads that it has left would keep a process that serves nobody.
      failed.printStackTrace();
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private static void haltAtTheEndOf(InputStream parent) {
    try {
      while (parent.read() >= 0) {
        // Nobody writes; only the end matters.
      }
    } catch (IOException e) {
      // As good as the end.
    }
    Runtime.getRuntime().halt(ORPHANED);
  }
}
