package io.ensemble.rest;

import io.ensemble.rest.events.EventBounds;
import java.time.Duration;

/**
 * The limits of the service. A request above a limit is refused with a problem, before it has any
 * effect.
 *
 * @param requests the maximum number of requests in progress
 * @param bodiesBytes the maximum number of bytes of request bodies held at a time, and the same for
 *     responses
 * @param jsonBytes the longest JSON body
 * @param valueBytes the longest value; a cache may allow less
 * @param headerBytes the longest request line and headers together
 * @param keyBytes the longest key, encoded in UTF-8
 * @param bulkEntries the maximum number of entries in one request
 * @param pageEntries the maximum number of entries in a page
 * @param pageBytes the maximum number of bytes of keys and values in a page; a single entry may
 *     exceed it
 * @param workers the maximum number of blocking requests of one kind, to the catalog or to sites,
 *     processed at a time; each kind, as {@code createCache}, has workers of its own. Also the
 *     maximum number of listings of entries and of objects
 * @param waiting the maximum number of further requests of a kind that wait for a worker
 * @param idle how long a connection may be silent
 * @param slowest how long a client may take to send the head of a request, and as long again for
 *     its body
 * @param events the bounds of the event stream
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
   * The default limits. Requests and responses are copied several times on their way. So the bodies
   * of all requests may take an eighth of the heap, those of all responses another eighth, and one
   * value a thirty-second part.
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
          8,
          64,
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          EventBounds.DEFAULT);

  private static long ofMemory(int part, long most) {
    return ofMemory(Runtime.getRuntime().maxMemory(), part, most);
  }

  /** A part of the heap, but not more than {@code most} bytes. */
  static long ofMemory(long heap, int part, long most) {
    return Math.min(most, heap / part);
  }

  /** A builder that starts with these limits. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Builds limits from others. Each method sets the component of its name. */
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

    /** Builds the limits. */
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
