package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * TUN devices whose other ends a process of Ensemble holds, see {@link DelayerProgram}. Java cannot
 * make such devices, so Perl, which every Debian has, opens them and then becomes that process.
 */
final class TunEmulator implements NetworkEmulator {

  private static final String DEVICE = "wan0";
  private static final int ENDING_SECONDS = 10;

  /** The process is in its own group, so that Ctrl-C on a terminal reaches its owner only. */
  private static final String OPENER =
      """
      $^F = 255; $| = 1; setpgrp(0, 0);
      my $count = shift @ARGV; my @devices;
      for (1 .. $count) {
        sysopen(my $device, '/dev/net/tun', 2) or die "cannot open /dev/net/tun: $!\\n";
        my $request = pack('a16 S x22', 'ewan%d', 0x1001);
        ioctl($device, 0x400454ca, $request) or die "cannot make a device: $!\\n";
        print unpack('Z16', $request), "\\n";
        push @devices, $device;
      }
      exec @ARGV, (map { fileno($_) } @devices) or die "cannot run $ARGV[0]: $!\\n";
      """;

  private final Process process;
  private final Path errorFile;
  private final BufferedReader in;
  private final Writer out;

  private TunEmulator(Process process, Path complaints) {
    this.process = process;
    this.errorFile = complaints;
    this.in = process.inputReader(UTF_8);
    this.out = process.outputWriter(UTF_8);
  }

  /** Connects the hosts, given their namespaces. */
  static TunEmulator join(WanPlan plan, List<NetworkNamespace> namespaces) {
    TunEmulator wire = start(namespaces);
    try {
      for (int host = 0; host < namespaces.size(); host++) {
        wire.attach(namespaces.get(host), host);
      }
      wire.sendPaths(plan);
      return wire;
    } catch (RuntimeException e) {
      wire.close();
      throw e;
    }
  }

  private static TunEmulator start(List<NetworkNamespace> namespaces) {
    List<String> command = new ArrayList<>(ProcessPriority.prefix());
    command.addAll(List.of("perl", "-e", OPENER, Integer.toString(namespaces.size())));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-Xmx160m",
            "--add-opens",
            "java.base/java.io=ALL-UNNAMED",
            "-cp",
            classes(),
            DelayerProgram.class.getName(),
            namespaces.get(0).name()));
    try {
      Path complaints = Files.createTempFile("ensemble-wan", ".log");
      command.add(complaints.toString());
      return new TunEmulator(
          new ProcessBuilder(command).redirectError(complaints.toFile()).start(), complaints);
    } catch (IOException e) {
      throw new WanException("cannot start the delayer: " + e.getMessage(), e);
    }
  }

  /** The location of this class, which needs no other library. */
  static String classes() {
    CodeSource source = TunEmulator.class.getProtectionDomain().getCodeSource();
    try {
      return source == null
          ? System.getProperty("java.class.path")
          : Path.of(source.getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new AssertionError("class paths are of files: " + source, e);
    }
  }

  private void attach(NetworkNamespace namespace, int host) {
    String device = readLine();
    SystemCommand.run(
        "ip", "link", "set", "dev", device, "netns", namespace.name(), "name", DEVICE);
    namespace.ip("address", "add", HostAddresses.of(host) + "/24", "dev", DEVICE);
    namespace.ip("link", "set", DEVICE, "mtu", Integer.toString(PacketBuffer.MTU), "up");
  }

  private void sendPaths(WanPlan plan) {
    List<String> hosts = plan.hosts();
    for (int from = 0; from < hosts.size(); from++) {
      for (int to = 0; to < hosts.size(); to++) {
        if (from != to) {
          PathProfile distance = plan.between(hosts.get(from), hosts.get(to));
          send(
              "lane %d %d %d %d %s %d"
                  .formatted(
                      from,
                      to,
                      distance.roundTrip().toNanos(),
                      distance.bitsPerSecond(),
                      distance.loss(),
                      plan.seed() * 31 + from * WanPlan.MOST_HOSTS + to));
        }
      }
    }
    send("go");
  }

  @Override
  public String kind() {
    return "tun";
  }

  @Override
  public void cut(int from, int to, boolean cut) {
    send((cut ? "cut " : "heal ") + from + " " + to);
  }

  private synchronized void send(String line) {
    try {
      out.write(line + "\n");
      out.flush();
    } catch (IOException e) {
      throw failure(e);
    }
    String answer = readLine();
    if (!answer.equals("ok")) {
      throw new AssertionError("the delayer answers 'ok'; got " + answer);
    }
  }

  private String readLine() {
    try {
      String line = in.readLine();
      if (line == null) {
        throw failure(null);
      }
      return line;
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private WanException failure(@Nullable IOException cause) {
    String output;
    try {
      output = Files.readString(errorFile).strip();
    } catch (IOException e) {
      output = "";
    }
    String line = output.isEmpty() ? "it has been killed" : output;
    return cause == null
        ? new WanException("the delayer has ended: " + line)
        : new WanException("the delayer has ended: " + line, cause);
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      // The process has ended already.
    }
    try {
      if (!process.waitFor(ENDING_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Files.deleteIfExists(errorFile);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // A file of error messages may stay in the directory for temporary files.
    }
  }
}
