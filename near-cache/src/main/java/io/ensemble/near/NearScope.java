package io.ensemble.near;

import io.ensemble.Mode;
import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.CacheExtension;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which calls a near cache covers, and when.
 *
 * @param keys the only keys, encoded; empty for all keys
 */
record NearScope(CacheExtension<?, ?> cache, NearCacheSettings settings, Set<Bytes> keys) {

  static NearScope of(CacheExtension<?, ?> cache, NearCacheSettings settings) {
    return new NearScope(
        cache,
        settings,
        settings.keys().stream().map(cache::encoded).collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * Whether a call on the key passes through the near cache. A cache may be altered to another mode
   * at any time; then the near cache covers nothing until it allows stale reads.
   */
  boolean covers(Bytes key) {
    return isAllowed() && (keys.isEmpty() || keys.contains(key)) && hasPrefix(key);
  }

  private boolean isAllowed() {
    return settings.allowsStaleReads() || cache.definition().mode() == Mode.WEAK;
  }

  private boolean hasPrefix(Bytes key) {
    if (settings.prefix().isEmpty()) {
      return true;
    }
    try {
      return cache.decoded(key) instanceof String text && text.startsWith(settings.prefix().get());
    } catch (IllegalStateException unknownType) {
      return false; // A type without a schema here, so no text.
    }
  }

  /** Whether an entry that is returned now should be read again in the background. */
  boolean isDue(NearEntry entry, NearTime now) {
    return settings.filling() == NearCacheSettings.Filling.EAGER
        && entry.asOf().isOlderThan(settings.staleness().dividedBy(2), now);
  }

  NearTime now() {
    return NearTime.now(cache.scheduler());
  }

  /** The value of an entry, unless it has expired. */
  Optional<Payload> live(NearEntry entry) {
    return Optional.ofNullable(entry.value())
        .filter(value -> !value.isOver(cache.epochMicros().getAsLong()));
  }
}
