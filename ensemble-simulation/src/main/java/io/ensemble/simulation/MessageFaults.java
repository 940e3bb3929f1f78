package io.ensemble.simulation;

import java.time.Duration;

/**
 * The faults of single messages, and their probabilities.
 *
 * @param least the shortest one-way delay between a client and a site
 * @param mean the average of the exponential addition to it, because of which messages overtake
 *     each other
 * @param most the longest one-way delay
 * @param requestLost the probability that a request is lost, from 0 to 1
 * @param replyLost the probability that a reply is lost; the request was performed
 * @param duplicated the probability that a request is sent twice; the first reply counts
 * @param denied the probability that a site returns false for a conditional write that it has
 *     performed
 * @param noticed the probability that a client detects a lost message before its deadline, as from
 *     a broken connection: its call fails {@link io.ensemble.site.SiteException.Reason#UNREACHABLE
 *     UNREACHABLE}
 */
public record MessageFaults(
    Duration least,
    Duration mean,
    Duration most,
    double requestLost,
    double replyLost,
    double duplicated,
    double denied,
    double noticed) {

  public MessageFaults {
    if (least.isNegative() || mean.isNegative() || most.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "expected 0 <= least <= most and 0 <= mean; least=%s mean=%s most=%s"
              .formatted(least, mean, most));
    }
    for (double chance : new double[] {requestLost, replyLost, duplicated, denied, noticed}) {
      if (!(chance >= 0 && chance <= 1)) {
        throw new IllegalArgumentException("a chance is from 0 to 1; got=" + chance);
      }
    }
  }

  /** Every message arrives, after some milliseconds, in any order. */
  public static MessageFaults reliable() {
    return new MessageFaults(
        Duration.ofNanos(200_000), Duration.ofMillis(1), Duration.ofMillis(20), 0, 0, 0, 0, 0);
  }

  /** As {@link #reliable}, with {@code each} as the probability of every fault. */
  public static MessageFaults lossy(double each) {
    return reliable()
        .withRequestLost(each)
        .withReplyLost(each)
        .withDuplicated(each)
        .withDenied(each)
        .withNoticed(0.5);
  }

  /** The same with other delays. */
  public MessageFaults withDelay(Duration shortest, Duration added, Duration longest) {
    return new MessageFaults(
        shortest, added, longest, requestLost, replyLost, duplicated, denied, noticed);
  }

  /** The same with another {@link #requestLost}. */
  public MessageFaults withRequestLost(double chance) {
    return new MessageFaults(least, mean, most, chance, replyLost, duplicated, denied, noticed);
  }

  /** The same with another {@link #replyLost}. */
  public MessageFaults withReplyLost(double chance) {
    return new MessageFaults(least, mean, most, requestLost, chance, duplicated, denied, noticed);
  }

  /** The same with another {@link #duplicated}. */
  public MessageFaults withDuplicated(double chance) {
    return new MessageFaults(least, mean, most, requestLost, replyLost, chance, denied, noticed);
  }

  /** The same with another {@link #denied}. */
  public MessageFaults withDenied(double chance) {
    return new MessageFaults(
        least, mean, most, requestLost, replyLost, duplicated, chance, noticed);
  }

  /** The same with another {@link #noticed}. */
  public MessageFaults withNoticed(double chance) {
    return new MessageFaults(least, mean, most, requestLost, replyLost, duplicated, denied, chance);
  }
}
