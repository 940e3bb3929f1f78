package io.ensemble.benchmarks.objects.worker;

/** One client's use of one object. Not thread-safe where it does not say so. */
@FunctionalInterface
interface BenchmarkClient extends AutoCloseable {

  /** One operation. What fails it, fails the run. */
  void once() throws Exception;

  /** How many operations have changed the object since it was made; 0 if nobody counts. */
  default long total() throws Exception {
    return 0;
  }

  @Override
  default void close() throws Exception {}
}
