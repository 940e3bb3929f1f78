package io.ensemble.benchmarks.federation;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.process.CompilerOptions;
import io.ensemble.benchmarks.process.LineProcess;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.Traffic;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A {@link FederationMain}, started and, on close, ended. One caller at a time. */
public final class FederationProcess implements AutoCloseable {

  public static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONGEST_END = Duration.ofSeconds(30);

  private final LineProcess process;
  private final List<SiteConfiguration> sites;

  private FederationProcess(LineProcess process) throws IOException {
    this.process = process;
    this.sites = SiteAddresses.parse(process.answer("ready "));
  }

  /** Starts three sites of {@code nodes} nodes each, all near. */
  public static FederationProcess start(int nodes) {
    return start(nodes, WanProfile.NONE, SITES);
  }

  /** Starts {@code sites} of {@code nodes} nodes each, all but the first {@code far}. */
  public static FederationProcess start(int nodes, WanProfile far, List<String> sites) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                String.valueOf(nodes),
                String.valueOf(far.roundTrip().toNanos()),
                String.valueOf(far.bitsPerSecond())));
    arguments.addAll(sites);
    LineProcess process = null;
    try {
      process =
          LineProcess.start(
              JavaProgram.ofThisProcess(FederationMain.class.getName(), options())
                  .process(arguments),
              LONGEST_END);
      return new FederationProcess(process);
    } catch (IOException e) {
      if (process != null) {
        process.close();
      }
      throw new UncheckedIOException("the federation did not start", e);
    }
  }

  public static String[] options() {
    return Stream.concat(Stream.of("-Xmx2g"), CompilerOptions.ofThisProcess().stream())
        .toArray(String[]::new);
  }

  public List<SiteConfiguration> sites() {
    return sites;
  }

  /** Kills all nodes of a site. */
  public void kill(String site) {
    command("kill " + site, "done");
  }

  /** The number of Hot Rod requests that each node of a site has answered since the start. */
  public List<Long> responses(String site) {
    return read(command("responses " + site, "responses "), new TypeReference<>() {});
  }

  /** The processor time of all sites, to hundredths of 1 s. */
  public Duration processorTime() {
    return process.processorTime();
  }

  /** The heap that all sites use, after garbage collection. */
  public long usedHeap() {
    return Long.parseLong(command("heap", "heap "));
  }

  /** The measured delay and bandwidth of the links to all sites but the first. */
  public List<SiteLinkReport> lines() {
    return read(command("lines", "lines "), new TypeReference<>() {});
  }

  /** The traffic over these links, by site. */
  public Map<String, Traffic> traffic() {
    return read(command("traffic", "traffic "), new TypeReference<>() {});
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (IOException e) {
      throw new UncheckedIOException("the federation's answer cannot be read; answer=" + json, e);
    }
  }

  private String command(String command, String prefix) {
    try {
      process.tell(command);
      return process.answer(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the federation did not execute a command; command=" + command, e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
