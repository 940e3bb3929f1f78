package io.ensemble.benchmarks.zoofence;

/**
 * Where the producers of one site find what they use.
 *
 * @param site its number, from 1 on
 * @param own its ZooKeeper of those that are divided by hand
 * @param spanning its member of the spanning ensemble
 * @param zooFence what ZooFence's client is told
 */
record ProducerEndpoints(int site, String own, String spanning, String zooFence) {

  /** The queue of a site. */
  String siteQueue() {
    return "/site" + site;
  }

  /** The one that all sites have. */
  static String sharedQueue() {
    return "/shared";
  }

  /** Whether this site counts what is in the shared queue, and begins one. */
  boolean isFirst() {
    return site == 1;
  }
}
