package io.ensemble.membership;

import io.ensemble.detect.SuspicionLevel;
import java.time.Duration;

/**
 * The health of a site as this process sees it, by the time that the site leaves requests without
 * an answer.
 *
 * @param state whether the site appears to be reachable
 * @param phi how unusual the silence is: an answer takes so long with a probability of
 *     10<sup>-phi</sup>; 0 while no request is pending
 * @param silent how long the site has left requests without an answer; zero while no request is
 *     pending
 */
public record SiteHealth(String site, SuspicionLevel.State state, double phi, Duration silent) {

  static SiteHealth of(String site, SuspicionLevel suspicionLevel) {
    return new SiteHealth(
        site,
        suspicionLevel.state(),
        suspicionLevel.phi(),
        Duration.ofNanos(suspicionLevel.silentNanos()));
  }
}
