package io.ensemble.testkit.link;

/**
 * The way to one site, which all its nodes share: its length, and its width in each direction.
 * Thread-safe.
 */
public final class Line {

  /** No way at all: nothing is delayed, nothing bounded. */
  public static final Line DIRECT = new Line(0, new Pacer(0), new Pacer(0));

  private final long oneWayNanos;
  private final Pacer requests;
  private final Pacer replies;

  private Line(long oneWayNanos, Pacer requests, Pacer replies) {
    this.oneWayNanos = oneWayNanos;
    this.requests = requests;
    this.replies = replies;
  }

  /** A line of its own. */
  public static Line of(Wan wan) {
    return new Line(
        wan.roundTrip().toNanos() / 2,
        new Pacer(wan.bitsPerSecond()),
        new Pacer(wan.bitsPerSecond()));
  }

  /** What has gone over it since it was made; not counted on {@link #DIRECT}. */
  public Traffic traffic() {
    return new Traffic(requests.carriedBytes(), replies.carriedBytes());
  }

  boolean isDirect() {
    return oneWayNanos == 0 && !requests.bounds();
  }

  long oneWayNanos() {
    return oneWayNanos;
  }

  Pacer requests() {
    return requests;
  }

  Pacer replies() {
    return replies;
  }
}
