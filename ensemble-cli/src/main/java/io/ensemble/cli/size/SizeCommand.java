package io.ensemble.cli.size;

import io.ensemble.Mode;
import io.ensemble.check.capacity.CapacityEstimate;
import io.ensemble.check.capacity.CapacityRequest;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
    name = "size",
    description = {
      "Estimate the memory, the disk and the network traffic that a cache takes.",
      "Computes from measured figures (docs/capacity.md), and contacts no site."
    })
public final class SizeCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(names = "--entries", required = true, paramLabel = "N", description = "Entries.")
  long entries;

  @Option(
      names = "--value",
      required = true,
      paramLabel = "BYTES",
      description = "Bytes of a value.")
  int value;

  @Option(
      names = "--key",
      paramLabel = "BYTES",
      defaultValue = "16",
      description = "Bytes of a key; default: ${DEFAULT-VALUE}.")
  int key;

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "MODE",
      description = "One of weak, swmr, mwmr.")
  Mode mode = Mode.WEAK;

  @Option(
      names = "--sites",
      paramLabel = "S",
      defaultValue = "3",
      description = "Sites of the cache; default: ${DEFAULT-VALUE}.")
  int sites;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Nodes of each site; default: ${DEFAULT-VALUE}.")
  int nodes;

  @Option(
      names = "--replicas",
      paramLabel = "R",
      defaultValue = "0",
      description = "Replicas of an swmr or mwmr cache at all sites; default: as 'caches create'.")
  int replicas;

  @Option(names = "--disk", description = "The sites keep their stores on disk.")
  boolean disk;

  @Option(
      names = "--writes",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "Writes of all clients; default: ${DEFAULT-VALUE}.")
  long writes;

  @Option(
      names = "--reads",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "Reads of all clients; default: ${DEFAULT-VALUE}.")
  long reads;

  @Override
  public Integer call() {
    CapacityEstimate estimate;
    try {
      estimate =
          CapacityEstimate.of(
              new CapacityRequest(
                  mode, entries, key, value, sites, nodes, replicas, disk, writes, reads));
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(
          reporting.spec().commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
    reporting.report(estimate, out -> show(out, estimate));
    return ExitCode.OK;
  }

  private static void show(PrintWriter out, CapacityEstimate estimate) {
    TextTable.line(out, "copies", String.valueOf(estimate.copies()));
    TextTable.line(
        out,
        "a stored entry",
        "%,d bytes, at most %,d".formatted(estimate.entryBytes(), estimate.mostEntryBytes()));
    TextTable.line(out, "heap of a copy", "%,d bytes".formatted(estimate.heapBytesPerCopy()));
    TextTable.line(out, "heap, all nodes", bytes(estimate.heapBytes()));
    TextTable.line(
        out,
        "heap of a node",
        "%s, at most %s; give the server twice as much"
            .formatted(bytes(estimate.nodeHeapBytes()), bytes(estimate.mostNodeHeapBytes())));
    TextTable.line(out, "disk, all nodes", bytes(estimate.diskBytes()));
    TextTable.line(out, "disk of a node", bytes(estimate.nodeDiskBytes()));
    TextTable.line(out, "heap of a client", bytes(estimate.clientBytes()));
    TextTable.line(out, "read", operation(estimate.readTrips(), estimate.requestsPerRead()));
    TextTable.line(out, "write", operation(estimate.writeTrips(), estimate.requestsPerWrite()));
    TextTable.line(out, "requests", "%,d per second".formatted(estimate.requestsPerSecond()));
    TextTable.line(
        out,
        "on all links",
        "%s per second, to a site %s"
            .formatted(
                bytes(estimate.linkBytesPerSecond()), bytes(estimate.siteLinkBytesPerSecond())));
  }

  private static String operation(int trips, int requests) {
    return "%d round trips, %d requests".formatted(trips, requests);
  }

  private static String bytes(@Nullable Long bytes) {
    if (bytes == null) {
      return "-";
    }
    return bytes < 10_000_000 ? "%,d bytes".formatted(bytes) : "%,.1f MB".formatted(bytes / 1e6);
  }
}
