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
 * What is left of one key's register after a majority of its sites has lost its memory: the cells
 * of the others. What was accepted last is an acknowledged write, one of unknown outcome, or one
 * that an acknowledged write has replaced which is lost. Thread-safe.
 */
public final class SurvivingCells {

  private static final Logger LOG = LoggerFactory.getLogger(SurvivingCells.class);

  private long configuration; // All this object's lock.
  private @Nullable Cell<Payload> last;

  /**
   * Adds a site's cell, as it is stored. One that cannot be read counts for nothing.
   *
   * @param number of the configuration that it is of; later ones come first
   */
  public void add(long number, Bytes stored) {
    Cell<Payload> cell;
    try {
      cell = CellCodec.decode(stored);
    } catch (MalformedEnvelopeException strange) {
      LOG.warn("malformed entry in a store that is left; it is lost", strange);
      return;
    }
    if (KeyMigrationRules.STANDARD.isTaken(cell.content())) {
      accept(number, cell);
    }
  }

  private synchronized void accept(long number, Cell<Payload> cell) {
    Cell<Payload> before = last;
    if (before == null
        || number > configuration
        || (number == configuration && cell.accepted().compareTo(before.accepted()) > 0)) {
      configuration = number;
      last = cell;
    }
  }

  /**
   * Has a register begin with what was accepted last, a removal included, where nobody has written;
   * empty if no site had more than a draft.
   */
  public synchronized Optional<Update<Payload, Boolean>> takeover() {
    return Optional.ofNullable(last)
        .map(cell -> KeyMigrationRules.STANDARD.takeover(cell.content().value()));
  }
}
