package io.ensemble.benchmarks.zoofence;

/**
 * The addresses for the producers of one site.
 *
 * @param site the number of the site, from 1
 * @param own its ZooKeeper in the system that is divided by hand
 * @param spanning its member of the spanning ensemble
 * @param zooFence the connect string of ZooFence's client
 */
record ProducerEndpoints(int site, String own, String spanning, String zooFence) {

  /** The queue of a site. */
  String siteQueue() {
    return "/site" + site;
  }

  /** The queue that all sites share. */
  static String sharedQueue() {
    return "/shared";
  }

  /** Whether this site creates the shared queue, and counts its elements. */
  boolean isFirst() {
    return site == 1;
  }
}
