package io.ensemble.testkit.wan;

/** The network between hosts. Hosts are numbers here, from 0. Thread-safe. */
interface NetworkEmulator extends AutoCloseable {

  /** The kind of emulation, for reports. */
  String kind();

  /**
   * Drops all packets in one direction, or ends that. In force when this returns; packets in flight
   * are lost when they arrive at a cut.
   *
   * @throws WanException if the emulation has failed
   */
  void cut(int from, int to, boolean cut);

  /** Removes the network. */
  @Override
  void close();
}
