package io.ensemble.rest;

import io.ensemble.rest.events.EventBounds;
import java.time.Duration;

/**
 * How much the service lets in. What is over is refused with a problem, before anything is done.
 *
 * @param requests how many requests may be under way
 * @param bodiesBytes how many bytes of bodies may be held at once, and how many of answers
 * @param jsonBytes the longest JSON body
 * @param valueBytes the longest value; a cache may allow less
 * @param headerBytes the longest request line and headers together
 * @param keyBytes the longest key, encoded in UTF-8
 * @param bulkEntries how many entries one request may name
 * @param pageEntries how many entries a page may have
 * @param pageBytes how many bytes of keys and values a page may have; one entry may be more
 * @param workers how many requests that wait, for the catalog or for sites, are worked on at once
 * @param waiting how many more of them wait for a worker
 * @param idle how long a connection may be silent
 * @param slowest how long the head of a request may take to come, and its body once more
 * @param events of the feed of changes
 */
public record Limits(
    int requests,
    long bodiesBytes,
    int jsonBytes,
    int valueBytes,
    int headerBytes,
    int keyBytes,
    int bulkEntries,
    int pageEntries,
    int pageBytes,
    int workers,
    int waiting,
    Duration idle,
    Duration slowest,
    EventBounds events) {

  /**
   * What is let in unless told otherwise. Bodies and answers are copied some times on their way, so
   * each of both may be an eighth of the heap, and one value a thirty-second part.
   */
  public static final Limits DEFAULT =
      new Limits(
          1_024,
          ofMemory(8, 256L << 20),
          1 << 20,
          (int) ofMemory(32, 64 << 20),
          16 << 10,
          4 << 10,
          1_000,
          1_000,
          8 << 20,
          16,
          64,
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          EventBounds.DEFAULT);

  private static long ofMemory(int part, long most) {
    return ofMemory(Runtime.getRuntime().maxMemory(), part, most);
  }

  /** A part of the heap, and no more than so much. */
  static long ofMemory(long heap, int part, long most) {
    return Math.min(most, heap / part);
  }

  /** With the usual bounds of the feed. */
  public Limits(
      int requests,
      long bodiesBytes,
      int jsonBytes,
      int valueBytes,
      int headerBytes,
      int keyBytes,
      int bulkEntries,
      int pageEntries,
      int pageBytes,
      int workers,
      int waiting,
      Duration idle,
      Duration slowest) {
    this(
        requests,
        bodiesBytes,
        jsonBytes,
        valueBytes,
        headerBytes,
        keyBytes,
        bulkEntries,
        pageEntries,
        pageBytes,
        workers,
        waiting,
        idle,
        slowest,
        EventBounds.DEFAULT);
  }
}
