package io.ensemble.cache.swmr.copy;

import io.ensemble.EntryView;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.primary.Copy;
import io.ensemble.site.Bytes;

/** A site's copy for people who look. */
public final class CopyView {

  private CopyView() {}

  /** Under which key a store has the copy of a user's. */
  public static Bytes key(Bytes ofUser) {
    return SwmrKeyLayout.ofCopy(ofUser);
  }

  /**
   * What a stored copy shows.
   *
   * @throws io.ensemble.envelope.MalformedEnvelopeException if it is none
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
