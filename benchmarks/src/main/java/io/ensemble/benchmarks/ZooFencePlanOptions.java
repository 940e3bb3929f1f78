package io.ensemble.benchmarks;

import io.ensemble.benchmarks.zoofence.LedgerPlan;
import io.ensemble.benchmarks.zoofence.QueuePlan;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** The options for measurements of ZooFence. */
final class ZooFencePlanOptions {

  @Option(
      names = "--localities",
      split = ",",
      defaultValue = "100,85,0",
      description =
          "Percentage of operations of zoofence-queues at the local site; ${DEFAULT-VALUE}.")
  private List<Integer> localities = List.of();

  @Option(
      names = "--site-clients",
      split = ",",
      defaultValue = "1,2,4,8",
      description = "Clients at each site of zoofence-queues; ${DEFAULT-VALUE}.")
  private List<Integer> clients = List.of();

  @Option(
      names = "--between-sites-millis",
      defaultValue = "50",
      description = "Round trip between sites of zoofence-queues; ${DEFAULT-VALUE}.")
  private int betweenSitesMillis;

  @Option(
      names = "--in-site-millis",
      defaultValue = "10",
      description =
          "Round trip from producers of zoofence-queues to the servers of their site, which stands "
              + "for a forced disk write; ${DEFAULT-VALUE}, or less if sites are nearer.")
  private int inSiteMillis;

  @Option(
      names = "--ledger-entries",
      split = ",",
      defaultValue = "100,250,500,1000",
      description = "Entries per ledger of zoofence-bookkeeper; ${DEFAULT-VALUE}.")
  private List<Integer> entries = List.of();

  @Option(
      names = "--entry-bytes",
      split = ",",
      defaultValue = "16,256",
      description = "Bytes per entry; ${DEFAULT-VALUE}.")
  private List<Integer> entryBytes = List.of();

  @Option(
      names = "--ledger-writers",
      defaultValue = "8",
      description = "Clients of zoofence-bookkeeper; ${DEFAULT-VALUE}.")
  private int writers;

  @Option(
      names = "--bookies",
      defaultValue = "4",
      description = "Bookies of zoofence-bookkeeper, at least 3; ${DEFAULT-VALUE}.")
  private int bookies;

  QueuePlan queues() {
    return new QueuePlan(
        localities,
        clients,
        Duration.ofMillis(betweenSitesMillis),
        Duration.ofMillis(Math.min(inSiteMillis, betweenSitesMillis)));
  }

  LedgerPlan ledgers() {
    return new LedgerPlan(entries, entryBytes, writers, bookies);
  }
}
