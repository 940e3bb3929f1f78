package io.ensemble.benchmarks.measure;

import io.ensemble.benchmarks.objects.Crowd;
import io.ensemble.testkit.link.Wan;
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
 * @param crowd what to do with atomic objects
 * @param progress told what is being done
 */
public record Effort(
    long sliceMillis,
    int rounds,
    int operations,
    int records,
    int keys,
    int nodes,
    Wan wan,
    int farThreads,
    Outage outage,
    Crowd crowd,
    Consumer<String> progress) {

  Contest contest(int threads) {
    return new Contest(threads, sliceMillis, 2, rounds);
  }

  /** Tells what is being done. */
  public void say(String format, Object... values) {
    progress.accept(String.format(java.util.Locale.ROOT, format, values));
  }
}
