package io.ensemble.cache.mwmr;

import io.ensemble.EntryView;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.site.Bytes;
import java.util.Locale;

/** A register's cell in readable form, for operators. */
public final class CellView {

  private CellView() {}

  /**
   * The readable form of a stored cell.
   *
   * @throws io.ensemble.envelope.MalformedEnvelopeException if {@code stored} is not a cell
   */
  public static EntryView of(Bytes stored) {
    Cell<Payload> cell = CellCodec.decode(stored);
    return EntryView.of(EnvelopeCodec.decode(stored), words(cell));
  }

  private static String words(Cell<Payload> cell) {
    String accepted = "change %d, %s".formatted(cell.content().sequence(), word(cell.accepted()));
    return cell.promised().equals(cell.accepted())
        ? accepted
        : accepted + ", a later " + word(cell.promised()) + " ballot promised";
  }

  private static String word(Ballot ballot) {
    return ballot.kind().name().toLowerCase(Locale.ROOT);
  }
}
