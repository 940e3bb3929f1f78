package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.change.KeyMigrationRules;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Cell;
import io.ensemble.register.Update;
import io.ensemble.site.Bytes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cells of one key's register that remain after a majority of its sites has lost its memory.
 * The content accepted last is an acknowledged write, or one of unknown outcome. A third
 * possibility: the content is an older write, and the acknowledged write that replaced it is lost.
 * Thread-safe.
 */
public final class SurvivingCells {

  private static final Logger LOG = LoggerFactory.getLogger(SurvivingCells.class);

  private long configuration; // Guarded by this object's lock.
  private @Nullable Cell<Payload> latestCell;

  /**
   * Adds a site's cell in its stored form. A cell that cannot be decoded is ignored.
   *
   * @param number of the configuration that the cell belongs to; later configurations take
   *     precedence
   */
  public void add(long number, Bytes stored) {
    Cell<Payload> cell;
    try {
      cell = CellCodec.decode(stored);
    } catch (MalformedEnvelopeException exception) {
      LOG.warn("malformed entry in a remaining store; the entry is lost", exception);
      return;
    }
    if (KeyMigrationRules.STANDARD.isTaken(cell.content())) {
      accept(number, cell);
    }
  }

  private synchronized void accept(long number, Cell<Payload> cell) {
    Cell<Payload> previous = latestCell;
    if (previous == null
        || number > configuration
        || (number == configuration && cell.accepted().compareTo(previous.accepted()) > 0)) {
      configuration = number;
      latestCell = cell;
    }
  }

  /**
   * An update that starts a register with the content accepted last, which may be a removal, unless
   * the register was written already. Empty if no site had more than a draft.
   */
  public synchronized Optional<Update<Payload, Boolean>> takeover() {
    return Optional.ofNullable(latestCell)
        .map(cell -> KeyMigrationRules.STANDARD.takeover(cell.content().value()));
  }
}
