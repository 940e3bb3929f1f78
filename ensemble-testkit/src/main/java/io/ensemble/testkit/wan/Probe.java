package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A measuring process in one host. Not thread-safe; {@link #close} ends the process. */
final class Probe implements AutoCloseable {

  private final String address;
  private final Process process;
  private final BufferedReader in;
  private final Writer out;
  private int port;

  private Probe(String address, Process process) {
    this.address = address;
    this.process = process;
    this.in = process.inputReader(UTF_8);
    this.out = process.outputWriter(UTF_8);
  }

  /** Starts the probe; it can be used when {@link #await} has returned. */
  static Probe start(NetworkNamespace namespace, String address, List<String> prefix)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-Xmx32m",
            "-Djava.net.preferIPv4Stack=true",
            "-cp",
            TunEmulator.classes(),
            ProbeProgram.class.getName(),
            address));
    return new Probe(
        address,
        new ProcessBuilder(namespace.command(command))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  void await() throws IOException {
    port = Integer.parseInt(readLine());
  }

  /** Sends packets to another probe, and returns the answers that arrived in time. */
  List<ProbeReply> send(Probe to, int count, int bytes, Duration spacing, Duration patience) {
    try {
      out.write(
          "send %s %d %d %d %d %d\n"
              .formatted(to.address, to.port, count, bytes, spacing.toNanos(), patience.toNanos()));
      out.flush();
      List<ProbeReply> answers = new ArrayList<>();
      for (String line = readLine(); !line.equals("end"); line = readLine()) {
        String[] fields = line.split(" ", -1);
        answers.add(
            new ProbeReply(
                Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2])));
      }
      return answers;
    } catch (IOException e) {
      throw new UncheckedIOException("the measurement was interrupted; host=" + address, e);
    }
  }

  private String readLine() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IOException("a probe has ended");
    }
    return line;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
