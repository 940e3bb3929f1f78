package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.report.Silence;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * A federation in a JVM of its own: prints {@code ready} and its addresses, obeys {@code kill SITE}
 * on standard input, answers {@code done}, and ends with the input.
 */
public final class FederationMain {

  private FederationMain() {}

  /** The program; arguments: the nodes of each site, then the sites' names. */
  public static void main(String[] args) throws IOException {
    Silence.ofLibraries();
    List<String> names = List.of(args).subList(1, args.length);
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults()
            .withNodesPerSite(Integer.parseInt(args[0]))
            .withSiteNames(names.toArray(String[]::new));
    try (EmbeddedFederation federation = EmbeddedFederation.start(options);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      System.out.println("ready " + SiteAddresses.of(federation));
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String[] words = line.split(" ", 2);
        if (!words[0].equals("kill")) {
          throw new IllegalArgumentException("a command is: kill SITE; got '" + line + "'");
        }
        discardComplaints();
        federation.site(words[1]).kill();
        System.out.println("done");
      }
      discardComplaints();
    }
    System.exit(0); // Whatever threads the servers have left.
  }

  /** Nodes that go down print stack traces of what they then miss. */
  private static void discardComplaints() {
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
  }
}
