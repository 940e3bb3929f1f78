package io.ensemble.change;

import io.ensemble.register.Content;
import io.ensemble.register.SeedCell;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The decisions by which keys move, one by one, from an ended configuration into registers that
 * already serve. Immutable.
 *
 * <p>Why it is safe: a write that the former configuration acknowledged is read there by every
 * process from now on. A write that a paused process stores there later was acknowledged to no
 * client, so that some processes may read it and others not. The register decides once for each key
 * which value counts. The first process that takes the key over settles it, and later ones find
 * that it is settled. So the process that takes a key over writes the register whatever it finds
 * there.
 */
public class KeyMigrationRules {

  /** The rules in production. */
  public static final KeyMigrationRules STANDARD = new KeyMigrationRules();

  /** Whether the register has decided its key, whatever the former configuration holds. */
  public boolean isTaken(Content<?> content) {
    return content.sequence() > 0 && !SeedCell.isOne(content);
  }

  /**
   * Takes a key over, in one step: only if no process has taken it over or written it before. The
   * update also writes a value that is already correct, and the absence of a value. Another process
   * may have read something else before a paused process's late write, and must find that the key
   * is decided.
   *
   * @param former the value of the former configuration, read after its end; null if it has none
   */
  public <V> Update<V, Boolean> takeover(@Nullable V former) {
    return new ContentUpdate<>(
        content -> isTaken(content) ? Decision.keep(true) : Decision.write(former, true));
  }

  /** Asks whether a key was taken over; writes nothing. */
  public <V> Update<V, Boolean> question() {
    return new ContentUpdate<>(content -> Decision.keep(isTaken(content)));
  }

  /**
   * An update that examines all of a register's content, because the value alone does not show
   * whether it is a seed.
   */
  private record ContentUpdate<V>(Function<Content<V>, Decision<V, Boolean>> decision)
      implements Update<V, Boolean> {

    @Override
    public Decision<V, Boolean> decide(@Nullable V current) {
      throw new UnsupportedOperationException("a value cannot be classified as a seed entry");
    }

    @Override
    public Decision<V, Boolean> decideOn(Content<V> content) {
      return decision.apply(content);
    }
  }
}
