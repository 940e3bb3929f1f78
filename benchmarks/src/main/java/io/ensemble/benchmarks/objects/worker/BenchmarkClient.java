package io.ensemble.benchmarks.objects.worker;

/** One client's use of one object. Not thread-safe unless stated. */
@FunctionalInterface
interface BenchmarkClient extends AutoCloseable {

  /** Executes one operation. A failure of it fails the run. */
  void runOnce() throws Exception;

  /**
   * The number of operations that have changed the object since it was made; 0 if that is not
   * counted.
   */
  default long total() throws Exception {
    return 0;
  }

  @Override
  default void close() throws Exception {}
}
