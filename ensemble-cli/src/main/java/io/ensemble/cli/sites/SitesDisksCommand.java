package io.ensemble.cli.sites;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.process.NodeDisk;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "disks",
    description = {
      "Show the free disk space of sites, as far as it is known.",
      "With --data: for each node of 'up --processes --data', its free space and its reserve. "
          + "Otherwise, which nodes keep entries on disk: Infinispan Server reports its free space "
          + "neither over Hot Rod nor over REST. Fails if the space of a disk is known to be low."
    })
final class SitesDisksCommand implements Callable<Integer> {

  private static final String UNKNOWN =
      "unknown: Infinispan Server reports it neither over Hot Rod nor over REST; check on its "
          + "machine";

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Data directory of a federation on this machine, as given to 'up'.")
  @Nullable Path data;

  /**
   * A node.
   *
   * @param disk the directory of its entries; null if unknown or absent
   * @param freeBytes the free space; null if unknown
   * @param reserveBytes the free space that it requires; null if unknown
   * @param state in a word or a sentence
   */
  record Row(
      String site,
      String node,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String disk,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long freeBytes,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long reserveBytes,
      boolean low,
      String state) {}

  private record Report(List<Row> nodes) {}

  @Override
  public Integer call() {
    List<Row> rows =
        data == null
            ? federation.state().sites().stream().flatMap(SitesDisksCommand::rows).toList()
            : rows(data);
    reporting.report(new Report(rows), out -> show(out, rows));
    return rows.stream().anyMatch(Row::low) ? ExitCode.FAILED : ExitCode.OK;
  }

  private static Stream<Row> rows(SiteDescriptor site) {
    String state = site.isOnDisk() ? UNKNOWN : "keeps its entries in memory";
    return site.endpoints().stream()
        .map(endpoint -> new Row(site.name(), endpoint, null, null, null, false, state));
  }

  private static List<Row> rows(Path directory) {
    try {
      List<Row> rows = NodeDisk.in(directory).stream().map(SitesDisksCommand::row).toList();
      if (rows.isEmpty()) {
        throw new CommandException(
            ("the directory has no data of a federation; directory=%s; expected the DIR of 'up "
                    + "--data'")
                .formatted(directory));
      }
      return rows;
    } catch (UncheckedIOException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Row row(NodeDisk node) {
    return new Row(
        node.site(),
        String.valueOf(node.node()),
        node.directory().toString(),
        node.freeBytes(),
        node.reserveBytes(),
        node.isLow(),
        state(node));
  }

  private static String state(NodeDisk node) {
    if (node.silent()) {
      return "LOW: rejects clients until %,d MB are free".formatted(node.resumeBytes() >> 20);
    }
    return node.isLow() ? "LOW" : "enough";
  }

  private static void show(PrintWriter out, List<Row> rows) {
    TextTable table = new TextTable("site", "node", "free", "reserve", "state", "disk");
    rows.forEach(
        row ->
            table.row(
                row.site(),
                row.node(),
                megabytes(row.freeBytes()),
                megabytes(row.reserveBytes()),
                row.state(),
                row.disk()));
    table.print(out, Terminal.coloursOnOut());
  }

  private static @Nullable String megabytes(@Nullable Long bytes) {
    return bytes == null ? null : "%,d MB".formatted(bytes >> 20);
  }
}
