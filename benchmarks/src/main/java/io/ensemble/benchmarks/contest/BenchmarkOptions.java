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
 * How much to do.
 *
 * @param sliceMillis how long a slice of a contest takes
 * @param rounds how many rounds of a contest count, beside two that warm up
 * @param operations how many operations to count where none are timed
 * @param records how many entries a cache holds where operations are timed
 * @param keys how many keys a client sees where its memory is measured
 * @param nodes how many nodes a site has, 1 or at least 3
 * @param wan the way to every site but the local one, where sites are far
 * @param farThreads operations in flight where three sites are far
 * @param outage what to do where something is killed
 * @param crowd what to do with atomic objects, and how far and how often for versioned caches
 * @param versions what to do with versioned caches
 * @param queues what to do with queues in ZooFence
 * @param ledgers what to do with BookKeeper on ZooFence
 * @param progress told what is being done
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
    ObjectPlan crowd,
    VersionPlan versions,
    QueuePlan queues,
    LedgerPlan ledgers,
    Consumer<String> progress) {

  public Contest contest(int threads) {
    return new Contest(threads, sliceMillis, 2, rounds);
  }

  /** Starts sites whose nodes are processes, and keep there what they hold. */
  public ProcessFederation federation(Mode mode, Path directory) {
    return ProcessFederation.start(
        ProcessOptions.in(directory, ServerLibrary.installed())
            .withNodesPerSite(nodes)
            .withProgress(line -> say("%s: %s", mode, line)));
  }

  /** Tells what is being done. */
  public void say(String format, Object... values) {
    progress.accept(String.format(Locale.ROOT, format, values));
  }
}
