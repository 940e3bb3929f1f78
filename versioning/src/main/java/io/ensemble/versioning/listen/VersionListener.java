package io.ensemble.versioning.listen;

import org.slf4j.LoggerFactory;

/**
 * Is told of new versions, by one call at a time, on the subscription's own thread: it may wait,
 * and use the cache.
 *
 * <p>A version is told when a method returns. What throws is told again, after 100 ms, and each
 * time twice as long, up to 10 s; when it has thrown too often, the subscription ends with what it
 * threw, and nothing is passed over.
 */
@FunctionalInterface
public interface VersionListener<K, V, T> {

  /** A version was added. */
  void added(NewVersion<K, V, T> version);

  /** Versions cannot be told any more. Unless it is overridden, that is logged as a warning. */
  default void missed(MissedVersions<K, T> missedVersions) {
    LoggerFactory.getLogger(VersionListener.class).warn("Versions were missed; {}", missedVersions);
  }
}
