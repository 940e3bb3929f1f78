package io.ensemble.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.infinispan.server.Bootstrap;
import org.infinispan.server.Server;
import org.jgroups.JChannel;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Runs the Infinispan Server until the server is stopped or the process's standard input ends. The
 * standard input ends with the process that started this one, however that process died. Then this
 * process halts immediately, as by a crash. Orphaned nodes of a site must end together: if some
 * left in good order, the last node could accept writes that no other node has.
 *
 * <p>A line {@code ignore NAME...} on the standard input separates the node from the peers of these
 * names, for tests; {@code ignore} alone ends the separation.
 */
public final class TetheredServer {

  private static final int FAILED = 1;
  private static final int ORPHANED = 113;
  private static final String IGNORE = "ignore";

  private TetheredServer() {}

  /** Takes the server's own arguments. */
  public static void main(String[] arguments) {
    // A terminal sends these signals to all its processes; the starter decides when and in which
    // order they end.
    for (String name : List.of("INT", "HUP")) {
      Signal.handle(new Signal(name), SignalHandler.SIG_IGN);
    }
    Thread watchThread = new Thread(() -> haltAtEndOfInput(System.in), "tether");
    watchThread.setDaemon(true);
    watchThread.start();
    try {
      Bootstrap.main(arguments);
    } catch (RuntimeException | Error failed) {
      // Remaining threads would keep alive a process that serves no client.
      failed.printStackTrace();
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private static void haltAtEndOfInput(InputStream parent) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(parent, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        executeCommand(line);
      }
    } catch (IOException e) {
      // As good as the end.
    } finally {
      Runtime.getRuntime().halt(ORPHANED);
    }
  }

  private static void executeCommand(String line) {
    JChannel channel = PeerModule.channel();
    if (!line.startsWith(IGNORE) || channel == null) {
      Server.log.warn("ignored a line on standard input; line=" + line);
      return;
    }
    try {
      List<String> words = List.of(line.split(" "));
      new PeerSplit(channel).ignore(words.stream().skip(1).collect(Collectors.toSet()));
    } catch (RuntimeException e) {
      Server.log.error("the node could not be disconnected from its peers; line=" + line, e);
    }
  }
}
