package io.ensemble.benchmarks.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.site.hotrod.SiteConfiguration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link FederationMain}, started and, on close, ended. One caller at a time. */
final class FederationProcess implements AutoCloseable {

  static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static final int LONGEST_END_SECONDS = 30;

  private final Process process;
  private final BufferedReader answers;
  private final List<SiteConfiguration> sites;

  private FederationProcess(Process process) throws IOException {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
    this.sites = SiteAddresses.parse(answer("ready "));
  }

  /** Starts three sites of {@code nodes} nodes each. */
  static FederationProcess start(int nodes) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                FederationMain.class.getName(),
                String.valueOf(nodes)));
    command.addAll(SITES);
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
    try {
      process.outputWriter(UTF_8).append("kill ").append(site).append('\n').flush();
      answer("done");
    } catch (IOException e) {
      throw new UncheckedIOException("the federation does not obey; command=kill " + site, e);
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
