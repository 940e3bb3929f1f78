package io.ensemble.benchmarks.federation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.measure.ClientMemoryBenchmark;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.link.WanProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A federation in a JVM of its own. It prints {@code ready} and its addresses, and reads commands
 * on standard input: {@code kill SITE}, answered by {@code done}; {@code lines} and {@code
 * traffic}, answered by their name and JSON; {@code heap}, answered by the bytes in use; {@code
 * responses SITE}, answered by the number of responses of each node. It ends with the input.
 */
public final class FederationMain {

  private static final ObjectMapper JSON = new ObjectMapper();

  private FederationMain() {}

  /**
   * The program; arguments: the nodes of each site, the round trip to all sites but the first in
   * nanoseconds, the bandwidth of their links in bits per second, then the sites' names.
   */
  public static void main(String[] args) throws IOException {
    LogSilencer.ofLibraries();
    List<String> names = List.of(args).subList(3, args.length);
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults()
            .withNodesPerSite(Integer.parseInt(args[0]))
            .withWan(
                new WanProfile(Duration.ofNanos(Long.parseLong(args[1])), Long.parseLong(args[2])))
            .withSiteNames(names.toArray(String[]::new));
    try (EmbeddedFederation federation = EmbeddedFederation.start(options);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      System.out.println("ready " + SiteAddresses.of(federation));
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        System.out.println(execute(line.split(" ", 2), federation));
      }
      discardComplaints();
    }
    System.exit(0); // Ends even if threads of the servers still run.
  }

  private static String execute(String[] command, EmbeddedFederation federation)
      throws JsonProcessingException {
    return switch (command[0]) {
      case "kill" -> {
        discardComplaints();
        federation.site(command[1]).kill();
        yield "done";
      }
      case "heap" -> "heap " + ClientMemoryBenchmark.usedHeap();
      case "responses" -> {
        EmbeddedSite site = federation.site(command[1]);
        yield "responses "
            + JSON.writeValueAsString(
                IntStream.range(0, site.endpoints().size()).mapToLong(site::responses).toArray());
      }
      case "lines" -> "lines " + JSON.writeValueAsString(federation.lines());
      case "traffic" -> "traffic " + JSON.writeValueAsString(federation.traffic());
      default ->
          throw new IllegalArgumentException(
              "a command must be kill SITE, heap, responses SITE, lines or traffic; got '"
                  + command[0]
                  + "'");
    };
  }

  /** Nodes that stop print stack traces about missing peers. */
  private static void discardComplaints() {
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
  }
}
