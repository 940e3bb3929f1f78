package io.ensemble.membership;

import io.ensemble.detect.SuspicionLevel;
import java.time.Duration;

/**
 * What this process thinks of a site, by how long it leaves requests without an answer.
 *
 * @param state whether it seems to be there
 * @param phi how unusual its silence is: the chance that an answer takes so long is one in ten to
 *     the power of this; 0 while nothing is asked
 * @param silent for how long it has left requests without an answer; zero while nothing is asked
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
