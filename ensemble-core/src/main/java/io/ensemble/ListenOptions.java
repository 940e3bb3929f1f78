package io.ensemble;

import java.util.Optional;
import java.util.Set;

/**
 * What a {@link ChangeStream} shows, and its bounds. Immutable; each method returns a changed copy.
 *
 * @param <K> the keys' type
 * @param keys the only keys to show; empty for all keys
 * @param prefix only keys of type String that begin with this text are shown; empty for all keys
 * @param hasValues whether changes have values
 * @param from the position after which the stream begins, see {@link ChangeStream#position}; empty
 *     to begin with the writes that follow the opening of the stream
 * @param maxKeys how many keys, present and recently removed, the stream may follow: 1,000,000 by
 *     default. An entry takes about 250 bytes. If there are more keys, the stream ends with {@link
 *     ListenLimitException}
 * @param maxEvents how many events may wait for the reader: 10,000 by default. If more arrive, a
 *     gap takes their place
 * @param maxBytes how many bytes of keys and values may wait for the reader: 16 MiB by default.
 *     Values that are not proven yet, and values that wait until the configuration of the cache is
 *     confirmed, have the same bound each. Each bound may be exceeded by one value
 * @param maxListed of how many keys a position lists the last change: 65,536 by default, see {@link
 *     ChangeStream#position}
 */
public record ListenOptions<K>(
    Set<K> keys,
    Optional<String> prefix,
    boolean hasValues,
    Optional<String> from,
    int maxKeys,
    int maxEvents,
    long maxBytes,
    int maxListed) {

  /** How many keys can be listed in {@link #keys}. */
  public static final int MAX_LISTED_KEYS = 1_000;

  /** The largest {@link #maxListed}. */
  public static final int MAX_LISTED_CHANGES = 65_536;

  public ListenOptions {
    keys = Set.copyOf(keys);
    check(keys.size() <= MAX_LISTED_KEYS, "keys", MAX_LISTED_KEYS + " at most", keys.size());
    if (prefix.isPresent() && (prefix.get().isEmpty() || !keys.isEmpty())) {
      throw new IllegalArgumentException(
          "the prefix of a listener must not be empty, and excludes a set of keys; got prefix '%s' and %d keys"
              .formatted(prefix.get(), keys.size()));
    }
    check(maxKeys >= 1, "maxKeys", "at least 1", maxKeys);
    check(maxEvents >= 1, "maxEvents", "at least 1", maxEvents);
    check(maxBytes >= 1, "maxBytes", "at least 1", maxBytes);
    check(
        maxListed >= 0 && maxListed <= MAX_LISTED_CHANGES,
        "maxListed",
        "in [0, " + MAX_LISTED_CHANGES + "]",
        maxListed);
  }

  private static void check(boolean isValid, String what, String accepted, long got) {
    if (!isValid) {
      throw new IllegalArgumentException(
          "%s of a listener must be %s; got %d".formatted(what, accepted, got));
    }
  }

  /** All keys, beginning now. */
  public static <K> ListenOptions<K> all() {
    return selecting(Set.of(), Optional.empty());
  }

  /** These keys only, beginning now. Each replica is then asked for these keys and not scanned. */
  public static <K> ListenOptions<K> ofKeys(Set<K> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("a listener of keys requires at least one key; got none");
    }
    return selecting(keys, Optional.empty());
  }

  /**
   * Keys of type String that begin with {@code prefix}, beginning now. Sites cannot select keys, so
   * they send all entries to this process. It drops others before it reads or keeps anything of
   * them: {@link #maxKeys} counts keys with the prefix only.
   */
  public static <K> ListenOptions<K> ofPrefix(String prefix) {
    return selecting(Set.of(), Optional.of(prefix));
  }

  private static <K> ListenOptions<K> selecting(Set<K> keys, Optional<String> prefix) {
    return new ListenOptions<>(
        keys, prefix, true, Optional.empty(), 1_000_000, 10_000, 16L << 20, MAX_LISTED_CHANGES);
  }

  /**
   * The same without values: {@link ChangeEvent.Change#value} is null in each change, and the kind
   * tells a removal. Sites send the values, because they are part of the votes; they are dropped
   * before a change waits for the reader. So {@link #maxBytes} holds more changes, and values that
   * this process cannot decode make no gap.
   */
  public ListenOptions<K> withoutValues() {
    return new ListenOptions<>(keys, prefix, false, from, maxKeys, maxEvents, maxBytes, maxListed);
  }

  /** The same, beginning after {@code position}. */
  public ListenOptions<K> from(String position) {
    return new ListenOptions<>(
        keys, prefix, hasValues, Optional.of(position), maxKeys, maxEvents, maxBytes, maxListed);
  }

  /** The same with another {@link #maxKeys}. */
  public ListenOptions<K> withMaxKeys(int number) {
    return new ListenOptions<>(
        keys, prefix, hasValues, from, number, maxEvents, maxBytes, maxListed);
  }

  /** The same with another bound of the buffer. */
  public ListenOptions<K> withBuffer(int events, long bytes) {
    return new ListenOptions<>(keys, prefix, hasValues, from, maxKeys, events, bytes, maxListed);
  }

  /**
   * The same with shorter positions. A stream that resumes at a position that lists not all changes
   * reports a gap of reason {@link ChangeEvent.GapReason#RETENTION}.
   */
  public ListenOptions<K> withPositionsOf(int keysListed) {
    return new ListenOptions<>(
        keys, prefix, hasValues, from, maxKeys, maxEvents, maxBytes, keysListed);
  }
}
