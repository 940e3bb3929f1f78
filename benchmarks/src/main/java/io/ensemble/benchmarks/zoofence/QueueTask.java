package io.ensemble.benchmarks.zoofence;

/**
 * What the producers of a site are told to do.
 *
 * @param slice the name of the queues that are added to
 * @param producers how many there are
 * @param locality percent of the elements that go to the site's own queue
 * @param warmMillis for how long before it counts
 * @param millis for how long it counts
 */
record QueueTask(
    Kind kind,
    QueueSystem system,
    String slice,
    int producers,
    int locality,
    long warmMillis,
    long millis) {

  /** What can be told. */
  enum Kind {
    /** Connect, and make the queues. */
    BEGIN,
    /** Add to them. */
    ADD,
    /** Count what is in them. */
    COUNT
  }

  QueueTask of(Kind other) {
    return new QueueTask(other, system, slice, producers, locality, warmMillis, millis);
  }
}
