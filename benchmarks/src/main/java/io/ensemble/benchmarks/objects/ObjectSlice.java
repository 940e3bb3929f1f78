package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.objects.worker.WorkerReport;
import io.ensemble.benchmarks.objects.worker.WorkerTask;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The result of one contestant in one round.
 *
 * @param counted operations that ended during the counted time
 * @param notBegun arrivals that were dropped because too many operations were under way
 * @param threads the threads of each process
 */
record ObjectSlice(
    long counted, long millis, long notBegun, Histogram latencies, List<Integer> threads) {

  double perSecond() {
    return 1e3 * counted / millis;
  }

  /**
   * Sums up the reports of the processes.
   *
   * @throws IllegalStateException if the object lacks acknowledged operations, or has too many:
   *     such a run is useless
   */
  static ObjectSlice of(
      WorkerTask task,
      List<WorkerReport> opened,
      List<WorkerReport> ran,
      List<WorkerReport> closed) {
    long before = opened.stream().mapToLong(WorkerReport::total).sum();
    long after = closed.stream().mapToLong(WorkerReport::total).sum();
    long done = ran.stream().mapToLong(WorkerReport::done).sum();
    if (after > 0 && after - before != done) {
      throw new IllegalStateException(
          "operations were lost, or made twice; contestant=%s object=%s acknowledged=%d found=%d"
              .formatted(task.contestant(), task.object(), done, after - before));
    }
    Histogram all = new Histogram(3);
    ran.forEach(report -> all.add(report.latencies()));
    return new ObjectSlice(
        all.getTotalCount(),
        task.millis(),
        ran.stream().mapToLong(WorkerReport::notBegun).sum(),
        all,
        ran.stream().map(WorkerReport::threads).toList());
  }
}
