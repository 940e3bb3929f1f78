package io.ensemble.benchmarks.zoofence;

/** The systems that hold the queues. */
enum QueueSystem {
  /**
   * A ZooKeeper at each site with that site's queue, and one ensemble over all sites with the
   * shared one; a client is connected to both.
   */
  BY_HAND("divided by hand"),
  /** A ZooKeeper at each site; ZooFence holds the shared queue at all of them. */
  ZOOFENCE("ZooFence"),
  /** One ensemble over all sites, with all queues. */
  SPANNING("one spanning ZooKeeper");

  private final String title;

  QueueSystem(String title) {
    this.title = title;
  }

  /** The name in results. */
  String title() {
    return title;
  }
}
