package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.testkit.link.LineReport;
import io.ensemble.testkit.link.Traffic;
import io.ensemble.testkit.link.Wan;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A {@link FederationMain}, started and, on close, ended. One caller at a time. */
final class FederationProcess implements AutoCloseable {

  static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_END_SECONDS = 30;

  private final Process process;
  private final BufferedReader answers;
  private final List<SiteConfiguration> sites;

  private FederationProcess(Process process) throws IOException {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
    this.sites = SiteAddresses.parse(answer("ready "));
  }

  /** Starts three sites of {@code nodes} nodes each, all near. */
  static FederationProcess start(int nodes) {
    return start(nodes, Wan.NONE, SITES);
  }

  /** Starts {@code sites} of {@code nodes} nodes each, all but the first {@code far}. */
  static FederationProcess start(int nodes, Wan far, List<String> sites) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                FederationMain.class.getName(),
                String.valueOf(nodes),
                String.valueOf(far.roundTrip().toNanos()),
                String.valueOf(far.bitsPerSecond())));
    command.addAll(sites);
    Process process = null;
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      return new FederationProcess(process);
    } catch (IOException e) {
      if (process != null) {
        process.destroyForcibly();
      }
      throw new UncheckedIOException("the federation did not start", e);
    }
  }

  List<SiteConfiguration> sites() {
    return sites;
  }

  /** Kills all nodes of a site. */
  void kill(String site) {
    command("kill " + site, "done");
  }

  /** What the ways to the sites but the first really give. */
  List<LineReport> lines() {
    return read(command("lines", "lines "), new TypeReference<>() {});
  }

  /** What has gone over them, by site. */
  Map<String, Traffic> traffic() {
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
      process.outputWriter(UTF_8).append(command).append('\n').flush();
      return answer(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException("the federation does not obey; command=" + command, e);
    }
  }

  private String answer(String prefix) throws IOException {
    // Servers may print too.
    for (String line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
    }
    throw new IOException("the federation ended; wanted='" + prefix + "'");
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
