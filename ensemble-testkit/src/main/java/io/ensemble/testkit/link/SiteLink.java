package io.ensemble.testkit.link;

/**
 * The link to one site, which all its nodes share: its delay, and its bandwidth in each direction.
 * Thread-safe.
 */
public final class SiteLink {

  /** A link without delay or bandwidth limit. */
  public static final SiteLink DIRECT =
      new SiteLink(0, new BandwidthLimiter(0), new BandwidthLimiter(0));

  private final long oneWayNanos;
  private final BandwidthLimiter requests;
  private final BandwidthLimiter replies;

  private SiteLink(long oneWayNanos, BandwidthLimiter requests, BandwidthLimiter replies) {
    this.oneWayNanos = oneWayNanos;
    this.requests = requests;
    this.replies = replies;
  }

  /** Creates a link with this profile. */
  public static SiteLink of(WanProfile wanProfile) {
    return new SiteLink(
        wanProfile.roundTrip().toNanos() / 2,
        new BandwidthLimiter(wanProfile.bitsPerSecond()),
        new BandwidthLimiter(wanProfile.bitsPerSecond()));
  }

  /** The traffic over the link since it was made; not counted on {@link #DIRECT}. */
  public Traffic traffic() {
    return new Traffic(requests.carriedBytes(), replies.carriedBytes());
  }

  boolean isDirect() {
    return oneWayNanos == 0 && !requests.bounds();
  }

  long oneWayNanos() {
    return oneWayNanos;
  }

  BandwidthLimiter requests() {
    return requests;
  }

  BandwidthLimiter replies() {
    return replies;
  }
}
