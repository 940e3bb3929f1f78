package io.ensemble.cache.swmr.copy;

import io.ensemble.EntryView;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.primary.Copy;
import io.ensemble.site.Bytes;

/** A site's copy in readable form, for operators. */
public final class CopyView {

  private CopyView() {}

  /** The key under which a store has the copy of a user's key. */
  public static Bytes key(Bytes ofUser) {
    return SwmrKeyLayout.toCopyKey(ofUser);
  }

  /**
   * The readable form of a stored copy.
   *
   * @throws io.ensemble.envelope.MalformedEnvelopeException if {@code stored} is not a copy
   */
  public static EntryView of(Bytes stored) {
    Copy<Payload> copy = CopyCodec.decode(stored);
    return EntryView.of(
        EnvelopeCodec.decode(stored),
        "epoch %d, change %d%s"
            .formatted(
                copy.mark().epoch(),
                copy.mark().sequence(),
                copy.settled() ? "" : ", not settled yet"));
  }
}
