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
public record RestLimits(
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
  public static final RestLimits DEFAULT =
      new RestLimits(
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

  /** The same but for what the builder is told. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Makes limits from others. Each method stands for the component of its name. */
  public static final class Builder {
    private int requests;
    private long bodiesBytes;
    private int jsonBytes;
    private int valueBytes;
    private int headerBytes;
    private int keyBytes;
    private int bulkEntries;
    private int pageEntries;
    private int pageBytes;
    private int workers;
    private int waiting;
    private Duration idle;
    private Duration slowest;
    private EventBounds events;

    private Builder(RestLimits from) {
      requests = from.requests;
      bodiesBytes = from.bodiesBytes;
      jsonBytes = from.jsonBytes;
      valueBytes = from.valueBytes;
      headerBytes = from.headerBytes;
      keyBytes = from.keyBytes;
      bulkEntries = from.bulkEntries;
      pageEntries = from.pageEntries;
      pageBytes = from.pageBytes;
      workers = from.workers;
      waiting = from.waiting;
      idle = from.idle;
      slowest = from.slowest;
      events = from.events;
    }

    /** See {@link RestLimits#requests()}. */
    public Builder requests(int most) {
      this.requests = most;
      return this;
    }

    /** See {@link RestLimits#bodiesBytes()}. */
    public Builder bodiesBytes(long most) {
      this.bodiesBytes = most;
      return this;
    }

    /** See {@link RestLimits#jsonBytes()}. */
    public Builder jsonBytes(int most) {
      this.jsonBytes = most;
      return this;
    }

    /** See {@link RestLimits#valueBytes()}. */
    public Builder valueBytes(int most) {
      this.valueBytes = most;
      return this;
    }

    /** See {@link RestLimits#headerBytes()}. */
    public Builder headerBytes(int most) {
      this.headerBytes = most;
      return this;
    }

    /** See {@link RestLimits#keyBytes()}. */
    public Builder keyBytes(int most) {
      this.keyBytes = most;
      return this;
    }

    /** See {@link RestLimits#bulkEntries()}. */
    public Builder bulkEntries(int most) {
      this.bulkEntries = most;
      return this;
    }

    /** See {@link RestLimits#pageEntries()}. */
    public Builder pageEntries(int most) {
      this.pageEntries = most;
      return this;
    }

    /** See {@link RestLimits#pageBytes()}. */
    public Builder pageBytes(int most) {
      this.pageBytes = most;
      return this;
    }

    /** See {@link RestLimits#workers()}. */
    public Builder workers(int most) {
      this.workers = most;
      return this;
    }

    /** See {@link RestLimits#waiting()}. */
    public Builder waiting(int most) {
      this.waiting = most;
      return this;
    }

    /** See {@link RestLimits#idle()}. */
    public Builder idle(Duration value) {
      this.idle = value;
      return this;
    }

    /** See {@link RestLimits#slowest()}. */
    public Builder slowest(Duration value) {
      this.slowest = value;
      return this;
    }

    /** See {@link RestLimits#events()}. */
    public Builder events(EventBounds value) {
      this.events = value;
      return this;
    }

    /** The limits. */
    public RestLimits build() {
      return new RestLimits(
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
          events);
    }
  }
}
