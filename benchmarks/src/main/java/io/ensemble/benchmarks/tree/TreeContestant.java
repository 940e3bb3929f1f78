package io.ensemble.benchmarks.tree;

/**
 * One client of the measurement of the paper's figure 6: its transaction reads a value that all
 * clients read, and writes one that no other client writes. Used by one thread.
 */
interface TreeContestant extends AutoCloseable {

  /**
   * Makes one transaction, and repeats it until it is committed.
   *
   * @return how often it had to be repeated
   */
  int transaction(int number) throws Exception;

  @Override
  void close() throws Exception;
}
