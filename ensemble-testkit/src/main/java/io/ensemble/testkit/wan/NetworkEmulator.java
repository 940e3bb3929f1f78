package io.ensemble.testkit.wan;

/** What packets between hosts go over. Hosts are numbers here, from 0. Thread-safe. */
interface NetworkEmulator extends AutoCloseable {

  /** What it is made of, for reports. */
  String kind();

  /**
   * Lets nothing through in one direction, or lets it through again. In force when this returns;
   * what is under way is lost when it arrives at a cut.
   *
   * @throws WanException if the wire is broken
   */
  void cut(int from, int to, boolean cut);

  /** Removes it. */
  @Override
  void close();
}
