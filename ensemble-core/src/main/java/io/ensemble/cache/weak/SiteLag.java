package io.ensemble.cache.weak;

import java.time.Duration;

/**
 * How far one site may be behind, as one engine sees it.
 *
 * @param site the site's name
 * @param pendingCopies copies that wait or are under way
 * @param oldestUnsent how long the oldest of them has waited; zero when there is none
 * @param dirty whether copies were lost, so that only a comparison makes the site equal
 * @param down whether the site is known not to answer; then nothing is kept for it
 * @param comparedMicros when a complete comparison last ended, in microseconds since 1970; 0 for
 *     never
 */
public record SiteLag(
    String site,
    int pendingCopies,
    Duration oldestUnsent,
    boolean dirty,
    boolean down,
    long comparedMicros) {}
