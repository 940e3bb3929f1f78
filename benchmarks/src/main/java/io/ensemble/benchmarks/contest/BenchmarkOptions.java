package io.ensemble.benchmarks.contest;

import io.ensemble.Mode;
import io.ensemble.benchmarks.objects.ObjectPlan;
import io.ensemble.benchmarks.versions.VersionPlan;
import io.ensemble.benchmarks.zoofence.LedgerPlan;
import io.ensemble.benchmarks.zoofence.QueuePlan;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ServerLibrary;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The size of the measurements.
 *
 * @param sliceMillis the length of a slice of a contest
 * @param rounds the number of rounds of a contest that count, in addition to two for warm-up
 * @param operations the number of operations to count where none are timed
 * @param records the number of entries of a cache where operations are timed
 * @param keys the number of keys that a client uses where its memory is measured
 * @param nodes the number of nodes of a site, 1 or at least 3
 * @param wan the network to every site but the local one, where sites are far
 * @param farThreads operations in flight where three sites are far
 * @param outage the plan for measurements with kills
 * @param objectPlan the plan for atomic objects; its distances and rounds also hold for versioned
 *     caches
 * @param versions the plan for versioned caches
 * @param queues the plan for queues in ZooFence
 * @param ledgers the plan for BookKeeper on ZooFence
 * @param progress receives the progress
 */
public record BenchmarkOptions(
    long sliceMillis,
    int rounds,
    int operations,
    int records,
    int keys,
    int nodes,
    WanProfile wan,
    int farThreads,
    OutagePlan outage,
    ObjectPlan objectPlan,
    VersionPlan versions,
    QueuePlan queues,
    LedgerPlan ledgers,
    Consumer<String> progress) {

  public Contest contest(int threads) {
    return new Contest(threads, sliceMillis, 2, rounds);
  }

  /** Starts sites whose nodes are processes with their data in {@code directory}. */
  public ProcessFederation federation(Mode mode, Path directory) {
    return ProcessFederation.start(
        ProcessOptions.in(directory, ServerLibrary.installed())
            .withNodesPerSite(nodes)
            .withProgress(line -> say("%s: %s", mode, line)));
  }

  /** Reports progress. */
  public void say(String format, Object... values) {
    progress.accept(String.format(Locale.ROOT, format, values));
  }
}
