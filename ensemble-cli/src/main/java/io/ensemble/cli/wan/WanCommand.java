package io.ensemble.cli.wan;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.wan.EmulatedWan;
import io.ensemble.testkit.wan.HostPairReport;
import io.ensemble.testkit.wan.WanException;
import io.ensemble.testkit.wan.WanReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "wan",
    description = {
      "Run processes as distant hosts, on this machine.",
      "Each host is a network namespace with its own address; hosts resolve each other by name. "
          + "The links between them are measured and shown before the processes start. Ends when "
          + "all processes have ended, or with Ctrl-C or SIGTERM, and removes all namespaces. "
          + "Requires Linux and root."
    })
public final class WanCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--latency",
      paramLabel = "DURATION",
      description = "Round trip between any two hosts, such as 50ms; default: none.")
  @Nullable String latency;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      description = "Bandwidth in each direction, such as 10mbit; default: no limit.")
  @Nullable String bandwidth;

  @Option(
      names = "--loss",
      paramLabel = "PERCENT",
      description = "Packet loss in each direction, such as 1%%; default: none.")
  @Nullable String loss;

  @Option(
      names = "--pair",
      paramLabel = "A-B=DISTANCE",
      description =
          "Another profile between two hosts: a round trip, a bandwidth, a loss, or several with "
              + "commas, such as lyon-oslo=80ms,5mbit. May be repeated.")
  List<String> pairs = List.of();

  @Option(
      names = "--cut",
      paramLabel = "A-B",
      description =
          "Two hosts that cannot reach each other, or 'A>B' for this direction only. May be "
              + "repeated.")
  List<String> cuts = List.of();

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description =
          "A file with a line for each: 'latency 50ms', 'bandwidth 10mbit', 'loss 1%%', 'pair A-B "
              + "80ms', 'cut A-B', 'host NAME COMMAND'. Options of the command line take "
              + "precedence.")
  @Nullable Path plan;

  @Option(
      names = "--until",
      paramLabel = "HOST",
      description =
          "Stop all when the processes of this host have ended; default: when all have ended. May "
              + "be repeated.")
  List<String> until = List.of();

  @Option(
      names = "--live",
      description =
          "Read 'cut A-B', 'heal A-B' and 'stop' from standard input, one per line, during the "
              + "run.")
  boolean live;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "Write the measurements to this file, as JSON, before the processes start.")
  @Nullable Path record;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Seed of packet losses, if Ensemble and not the kernel decides them; default: 1.")
  long seed = 1;

  @Parameters(
      paramLabel = "HOST=COMMAND",
      description =
          "A shell command and the host it runs on; no text after '=' for a host without a "
              + "command. A host may have several. Without commands, only the links are measured.")
  List<String> hosts = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    WanScript script = WanScript.read(statements(), seed);
    for (String host : until) {
      if (script.commands().stream().noneMatch(command -> command.host().equals(host))) {
        throw new CommandException(
            ExitCode.USAGE, "--until requires a host with a command; got " + host);
      }
    }
    try (EmulatedWan wan = startWan(script)) {
      WanReport measured = measure(wan);
      if (!reporting.json) {
        show(reporting.out(), measured);
      }
      for (WanScript.Cut cut : script.cuts()) {
        WanRun.cut(wan, cut, true);
      }
      WanRun run =
          new WanRun(wan, reporting.json ? reporting.err() : reporting.out(), reporting.err());
      List<WanRun.ProcessResult> ended = run.run(script.commands(), until, live);
      Report report =
          new Report(measured, script.cuts().stream().map(WanScript.Cut::toString).toList(), ended);
      reporting.report(report, out -> {});
      return exitCode(ended);
    } catch (WanException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private List<String> statements() {
    List<String> statements = new ArrayList<>();
    if (plan != null) {
      try {
        statements.addAll(WanScript.statements(Files.readString(plan)));
      } catch (IOException e) {
        throw new CommandException(ExitCode.USAGE, "cannot read the plan " + plan);
      }
    }
    add(statements, "latency ", latency);
    add(statements, "bandwidth ", bandwidth);
    add(statements, "loss ", loss);
    pairs.forEach(pair -> statements.add("pair " + pair.replaceFirst("=", " ")));
    cuts.forEach(cut -> statements.add("cut " + cut));
    for (String host : hosts) {
      int equals = host.indexOf('=');
      if (equals < 1) {
        throw new CommandException(ExitCode.USAGE, "requires HOST=COMMAND; got '" + host + "'");
      }
      statements.add("host " + host.substring(0, equals) + " " + host.substring(equals + 1));
    }
    return statements;
  }

  private static void add(List<String> statements, String word, @Nullable String value) {
    if (value != null) {
      statements.add(word + value);
    }
  }

  private EmulatedWan startWan(WanScript script) {
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "wan")) {
      progressLine.show("making " + script.plan().hosts().size() + " hosts");
      return EmulatedWan.start(script.plan());
    }
  }

  private WanReport measure(EmulatedWan wan) throws IOException {
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "wan")) {
      progressLine.show("measuring");
      WanReport measured = wan.measure();
      if (record != null) {
        measured.write(record);
      }
      return measured;
    }
  }

  private static void show(PrintWriter out, WanReport measured) {
    TextTable hosts = new TextTable("host", "address");
    measured.hosts().forEach(hosts::row);
    hosts.print(out, Terminal.coloursOnOut());
    out.println();
    if (!measured.pairs().isEmpty()) {
      TextTable table =
          new TextTable("between", "configured", "round trip p50", "p99", "there", "back", "lost");
      for (HostPairReport pair : measured.pairs()) {
        table.row(
            pair.a() + "-" + pair.b(),
            profileText(pair),
            format("%.2f ms", pair.roundTripP50Millis()),
            format("%.2f ms", pair.roundTripP99Millis()),
            format("%.2f Mbit/s", pair.megabitsThere()),
            format("%.2f Mbit/s", pair.megabitsBack()),
            pair.lost() + " of " + pair.asked());
      }
      table.print(out, Terminal.coloursOnOut());
      out.println();
    }
    out.flush();
  }

  private static String profileText(HostPairReport pair) {
    return "%.1f ms%s%s"
        .formatted(
            pair.wantedRoundTripMillis(),
            pair.wantedMegabits() == 0 ? "" : ", %.1f Mbit/s".formatted(pair.wantedMegabits()),
            pair.wantedLossPercent() == 0 ? "" : ", %.1f %%".formatted(pair.wantedLossPercent()));
  }

  private static @Nullable String format(String form, @Nullable Double value) {
    return value == null ? null : form.formatted(value);
  }

  /**
   * The exit code of the processes that ended on their own; with {@code --until}, of the processes
   * waited for.
   */
  private int exitCode(List<WanRun.ProcessResult> ended) {
    int code = ExitCode.OK;
    for (WanRun.ProcessResult one : ended) {
      boolean counts = until.isEmpty() || until.contains(one.host());
      if (counts && one.exitCode() != null && one.exitCode() != 0) {
        reporting
            .err()
            .println("ensemble: " + one.host() + " exit " + one.exitCode() + ": " + one.command());
        code = ExitCode.FAILED;
      }
    }
    return code;
  }

  /** The output of {@code --json}. */
  private record Report(WanReport wan, List<String> cut, List<WanRun.ProcessResult> processes) {}
}
