package io.ensemble.cli.option;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanProfile;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** The delay and bandwidth of the links to sites that are not local. */
public final class WanLinkOptions {

  @Option(
      names = "--latency",
      paramLabel = "DURATION",
      defaultValue = "0ms",
      converter = DurationConverter.class,
      description =
          "Round trip to every site except the first, such as 15ms, emulated by a relay before "
              + "each of its nodes; default: none.")
  Duration latency = Duration.ZERO;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      defaultValue = "0",
      converter = BandwidthConverter.class,
      description =
          "Bandwidth to every site except the first, in each direction, such as 10mbit; default: "
              + "no limit.")
  long bitsPerSecond;

  public WanProfile wan() {
    try {
      return new WanProfile(latency, bitsPerSecond);
    } catch (IllegalArgumentException wrong) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(wrong.getMessage()));
    }
  }

  /** Prints the measurements, if there are any. */
  public static void show(PrintWriter out, List<SiteLinkReport> lines) {
    if (lines.isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable("link to", "configured", "round trip p50", "p99", "there", "back");
    for (SiteLinkReport line : lines) {
      table.row(
          line.site(),
          "%.1f ms%s"
              .formatted(
                  line.wantedRoundTripMillis(),
                  line.wantedMegabits() == 0
                      ? ""
                      : ", %.1f Mbit/s".formatted(line.wantedMegabits())),
          "%.2f ms".formatted(line.roundTripP50Millis()),
          "%.2f ms".formatted(line.roundTripP99Millis()),
          "%.2f Mbit/s".formatted(line.requestMegabits()),
          "%.2f Mbit/s".formatted(line.replyMegabits()));
    }
    table.print(out, Terminal.coloursOnOut());
    out.println();
  }
}
