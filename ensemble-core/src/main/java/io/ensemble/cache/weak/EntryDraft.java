package io.ensemble.cache.weak;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.envelope.Sealed;
import io.ensemble.sibling.Resident;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/**
 * What an entry begins with in stores that nobody uses yet: the same at every site, with a stamp
 * below those of real writes. An encrypted value keeps the stamp of its own write, as every entry
 * of a value has it in WEAK: with a lower one its entry could claim to be any write up to that.
 */
public final class EntryDraft {

  private static final long MICROS = 1;

  private EntryDraft() {}

  /**
   * The stored form of an entry with that value; empty for a removed key.
   *
   * @param owner who alone puts drafts into these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    Stamp stamp = value.flatMap(EntryDraft::sealed).orElse(new Stamp(MICROS, owner));
    return Entries.entry(stamp, value.orElse(null)).stored();
  }

  /** The stamp that the value itself has; empty if it is not encrypted, or not as it should be. */
  private static Optional<Stamp> sealed(Payload value) {
    try {
      return value.encrypted() ? Optional.of(Sealed.of(value.value()).stamp()) : Optional.empty();
    } catch (MalformedEnvelopeException strange) {
      return Optional.empty();
    }
  }

  /**
   * As {@link #of}, for stores that keep siblings, of what {@link #joined} gives: with all that
   * readers may have seen.
   */
  public static Bytes ofSiblings(WriterId owner, Optional<Payload> joined) {
    return joined.map(Payload::value).orElseGet(() -> of(owner, Optional.empty()));
  }

  /** All siblings in {@code stored} entries as one stored form; empty when none of them is live. */
  public static Optional<Payload> joined(Iterable<Bytes> stored, long nowMicros) {
    Siblings<Payload> all = Siblings.none();
    for (Bytes one : stored) {
      all = all.join(Joined.siblings(Held.of(one)));
    }
    if (Entries.latest(all, nowMicros) == null) {
      return Optional.empty();
    }
    Bytes form = Held.of(SiblingCodec.envelope(new Resident<>(all, null))).stored();
    return Optional.of(new Payload(form, 0));
  }

  /** The live value of the newest of {@code stored} entries; empty when that is none. */
  public static Optional<Payload> newest(Iterable<Bytes> stored, long nowMicros) {
    Held newest = null;
    for (Bytes one : stored) {
      Held held = Held.of(one);
      if (newest == null || held.isNewerThan(newest)) {
        newest = held;
      }
    }
    return newest == null
        ? Optional.empty()
        : Optional.ofNullable(Entries.live(Entries.decode(newest.stored()), nowMicros));
  }
}
