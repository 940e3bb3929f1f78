package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/**
 * The initial entry in stores that no process uses yet: the same at every site, with a stamp below
 * those of real writes. An encrypted value keeps the stamp of its own write, as every entry of a
 * value does in WEAK. With a lower stamp, the entry could claim to be any write up to that stamp.
 */
public final class EntrySeed {

  private static final long MICROS = 1;

  private EntrySeed() {}

  /**
   * The stored form of an entry with that value; empty for a removed key.
   *
   * @param owner the only writer of drafts in these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    Stamp stamp = value.flatMap(EntrySeed::stampOfEncrypted).orElse(new Stamp(MICROS, owner));
    return WeakEntries.entry(stamp, value.orElse(null)).stored();
  }

  /** The stamp of the value itself; empty if the value is not encrypted, or malformed. */
  private static Optional<Stamp> stampOfEncrypted(Payload value) {
    try {
      return value.encrypted()
          ? Optional.of(EncryptedPayload.of(value.value()).stamp())
          : Optional.empty();
    } catch (MalformedEnvelopeException exception) {
      return Optional.empty();
    }
  }

  /**
   * As {@link #of}, for stores that keep siblings, with the result of {@link #joined} as the value.
   * The entry covers all versions that readers may have seen.
   */
  public static Bytes ofSiblings(WriterId owner, Optional<Payload> joined) {
    return joined.map(Payload::value).orElseGet(() -> of(owner, Optional.empty()));
  }

  /** All siblings in {@code stored} entries as one stored form; empty when none of them is live. */
  public static Optional<Payload> joined(Iterable<Bytes> stored, long nowMicros) {
    Siblings<Payload> siblings = Siblings.none();
    for (Bytes entryBytes : stored) {
      siblings = siblings.join(SiblingMerge.siblings(StampedEntry.of(entryBytes)));
    }
    if (WeakEntries.latest(siblings, nowMicros) == null) {
      return Optional.empty();
    }
    Bytes encoded =
        StampedEntry.of(SiblingCodec.envelope(new StoredSiblings<>(siblings, null))).stored();
    return Optional.of(new Payload(encoded, 0));
  }

  /** The live value of the newest of {@code stored} entries; empty when the newest has none. */
  public static Optional<Payload> newest(Iterable<Bytes> stored, long nowMicros) {
    StampedEntry newest = null;
    for (Bytes entryBytes : stored) {
      StampedEntry entry = StampedEntry.of(entryBytes);
      if (newest == null || entry.isNewerThan(newest)) {
        newest = entry;
      }
    }
    return newest == null
        ? Optional.empty()
        : Optional.ofNullable(WeakEntries.live(WeakEntries.decode(newest.stored()), nowMicros));
  }
}
