package io.ensemble.check.registers;

import io.ensemble.EnsembleCache;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.TrialRequest;
import io.ensemble.testkit.history.HistoryRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The writes after the clients have stopped and all sites are repaired, one for each key. A
 * listener that was shown these has received everything before. Used by one thread.
 */
final class LastWrites {

  /** Allows for the time until another site is the primary, and the lease of a writer is over. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** The time after its deadline within which a write must end; no process is paused meanwhile. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final long PAUSE_MILLIS = 250;

  private final CheckRequest request;
  private final Path operations;
  private final Path stamps;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param directory the directory for their part of the history
   */
  LastWrites(CheckRequest request, Path directory) {
    this.request = request;
    this.operations = directory.resolve("last.jsonl");
    this.stamps = directory.resolve("stamps-last.jsonl");
  }

  /** The values of these writes are above this one. */
  static long valuesAbove(CheckRequest request) {
    return (request.processes() + 1) * TrialRequest.OPERATIONS_APART;
  }

  /** The file with the operations. */
  Path operations() {
    return operations;
  }

  /** The file with their stamps. */
  Path stamps() {
    return stamps;
  }

  /** The keys that could not be written, in words. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Writes each key, each until that is acknowledged. */
  void perform(EnsembleCache<String, Long> cache) throws InterruptedException {
    try (HistoryRecorder recorder =
            HistoryRecorder.toFile(
                System::nanoTime,
                ClientProcesses.firstClient(request.processes() + 1),
                operations);
        StampFile file = StampFile.of(stamps.toString())) {
      Set<String> written = new HashSet<>();
      ClientSession session =
          new ClientSession(
              EntryCall.CacheViews.of(cache),
              recorder,
              new ClientOutcomeCounts(),
              (client, callNanos, key, stamp) -> {
                file.done(client, callNanos, stamp);
                written.add(key);
              },
              request.deadline(),
              GRACE);
      CountDownLatch never = new CountDownLatch(1);
      long begin = System.nanoTime();
      long value = valuesAbove(request);
      for (int key = 0; key < request.keys(); key++) {
        String name = "k" + key;
        while (!written.contains(name)) {
          session.perform(name, EntryCall.write(++value));
          if (!written.contains(name) && System.nanoTime() - begin > LONGEST.toNanos()) {
            problems.add(
                "a last write was not acknowledged; key=%s last=%s"
                    .formatted(name, session.lastOutcome()));
            return;
          }
          if (!written.contains(name)) {
            never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
          }
        }
      }
    } catch (IOException e) {
      throw new CommandException("cannot write " + operations + ": " + e.getMessage(), e);
    }
  }
}
