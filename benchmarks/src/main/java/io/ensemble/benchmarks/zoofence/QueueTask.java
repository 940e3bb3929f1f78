package io.ensemble.benchmarks.zoofence;

/**
 * The order to the producers of a site.
 *
 * @param slice the name of the queues
 * @param producers the number of producers
 * @param locality percentage of the elements for the site's own queue
 * @param warmMillis the time before the counted time
 * @param millis the counted time
 */
record QueueTask(
    Kind kind,
    QueueSystem system,
    String slice,
    int producers,
    int locality,
    long warmMillis,
    long millis) {

  /** The kinds of orders. */
  enum Kind {
    /** Connect, and create the queues. */
    BEGIN,
    /** Add elements to them. */
    ADD,
    /** Count their elements. */
    COUNT
  }

  QueueTask of(Kind other) {
    return new QueueTask(other, system, slice, producers, locality, warmMillis, millis);
  }
}
