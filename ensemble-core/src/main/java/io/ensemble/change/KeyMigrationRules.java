package io.ensemble.change;

import io.ensemble.register.Content;
import io.ensemble.register.SeedCell;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The decisions by which keys come, one by one, out of a configuration that has ended into
 * registers that serve already. Immutable.
 *
 * <p>Why it is safe: what was acknowledged in the former configuration is read there by everybody
 * from now on. What a sleeper stores there yet was acknowledged to nobody, so that some may read it
 * and others not; which of them counts is decided once for each key, by the register: the first
 * that takes the key over settles it, and those that come later find that it was. So the register
 * is written by whoever takes a key over, whatever it finds there.
 */
public class KeyMigrationRules {

  /** Those that everything runs by. */
  public static final KeyMigrationRules STANDARD = new KeyMigrationRules();

  /** Whether the register has the last word on its key, whatever the former configuration holds. */
  public boolean isTaken(Content<?> content) {
    return content.sequence() > 0 && !SeedCell.isOne(content);
  }

  /**
   * Takes a key over, in one step: only where nobody has done it before, and nobody has written.
   * Also what is right already is written, and also that there is nothing: somebody else may have
   * read something before a sleeper's late write, and must find that it was decided.
   *
   * @param former what the former configuration holds, read after it had ended; null for nothing
   */
  public <V> Update<V, Boolean> takeover(@Nullable V former) {
    return new OnContent<>(
        content -> isTaken(content) ? Decision.keep(true) : Decision.write(former, true));
  }

  /** Asks whether a key was taken over; writes nothing. */
  public <V> Update<V, Boolean> question() {
    return new OnContent<>(content -> Decision.keep(isTaken(content)));
  }

  /**
   * What looks at all of a register's content, for its value does not tell whether it is a draft.
   */
  private record OnContent<V>(Function<Content<V>, Decision<V, Boolean>> decision)
      implements Update<V, Boolean> {

    @Override
    public Decision<V, Boolean> decide(@Nullable V current) {
      throw new UnsupportedOperationException("a value does not tell whether it is a draft");
    }

    @Override
    public Decision<V, Boolean> decideOn(Content<V> content) {
      return decision.apply(content);
    }
  }
}
