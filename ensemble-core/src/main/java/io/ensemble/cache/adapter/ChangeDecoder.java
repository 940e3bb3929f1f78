package io.ensemble.cache.adapter;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.cache.Payload;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes the events of a stream. A change that cannot be decoded becomes a gap of reason {@link
 * GapReason#UNREADABLE}: a failure would end the stream, and each stream that resumes before that
 * change.
 *
 * @param keys decodes a stored key
 * @param values decodes the value of a stored key
 */
record ChangeDecoder<K, V>(Function<Bytes, K> keys, BiFunction<Bytes, Payload, V> values) {

  private static final Logger LOG = LoggerFactory.getLogger(ChangeDecoder.class);

  ChangeEvent<K, V> decoded(ChangeEvent<Bytes, Payload> event) {
    if (event instanceof Gap<Bytes, Payload> gap) {
      Optional<K> key = gap.key().flatMap(this::key);
      return new Gap<>(gap.reason(), key, gap.after(), gap.before(), gap.missed());
    }
    Change<Bytes, Payload> change = (Change<Bytes, Payload>) event;
    try {
      return change.map(keys, value -> values.apply(change.key(), value));
    } catch (RuntimeException unreadable) {
      LOG.debug("a change cannot be decoded; stamp={}", change.stamp(), unreadable);
      return Gap.between(
          GapReason.UNREADABLE, key(change.key()), change.stamp(), change.stamp(), 1);
    }
  }

  /** The key; empty if it cannot be decoded. */
  private Optional<K> key(Bytes stored) {
    try {
      return Optional.of(keys.apply(stored));
    } catch (RuntimeException unreadable) {
      return Optional.empty();
    }
  }
}
