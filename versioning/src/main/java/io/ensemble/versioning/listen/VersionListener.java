package io.ensemble.versioning.listen;

import org.slf4j.LoggerFactory;

/**
 * Receives new versions, one call at a time, on the thread of the subscription. A call may block,
 * and use the cache.
 *
 * <p>A version is delivered when the method returns. If the method throws, the call is repeated
 * after 100 ms, and then after pauses that double, up to 10 s. After too many exceptions the
 * subscription ends with the last one, and no version is skipped.
 */
@FunctionalInterface
public interface VersionListener<K, V, T> {

  /** A version was added. */
  void added(NewVersion<K, V, T> version);

  /** Versions can no longer be delivered. The default implementation logs a warning. */
  default void missed(MissedVersions<K, T> missedVersions) {
    LoggerFactory.getLogger(VersionListener.class)
        .warn("Events of versions were missed; {}", missedVersions);
  }
}
