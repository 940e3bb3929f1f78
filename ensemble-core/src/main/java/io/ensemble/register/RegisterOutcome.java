package io.ensemble.register;

import org.jspecify.annotations.Nullable;

/** How an operation on a register ended. */
public sealed interface RegisterOutcome<V, R> {

  /**
   * The operation took effect, or was a read or an unmet condition, at one point between its call
   * and now.
   *
   * @param result the result of the update
   * @param cell the chosen cell: the content from which the result was read or that was written, or
   *     one that descends from it
   * @param wrote whether the operation changed the register
   * @param proposal the ballot in which the operation's own write was first proposed; if it wrote
   *     nothing, the one in which the content was, or {@link Ballot#ZERO} if there is none. No
   *     other write of the register has it. The ballot of {@code cell} may be a later one, which
   *     confirmed or completed the same write, or that of a descendant
   */
  record Done<V, R>(@Nullable R result, Cell<V> cell, boolean wrote, Ballot proposal)
      implements RegisterOutcome<V, R> {

    public Done {
      if (wrote && !cell.content().recent().contains(proposal)) {
        throw new AssertionError(
            "the chosen content descends from the proposal; proposal=%s content=%s"
                .formatted(proposal, cell.content()));
      }
    }

    /** The chosen ballot. */
    public Ballot ballot() {
      return cell.accepted();
    }

    /** The chosen content. */
    public Content<V> content() {
      return cell.content();
    }
  }

  /** The operation certainly had no effect and never will have one. */
  record Refused<V, R>() implements RegisterOutcome<V, R> {}

  /** The operation proposed, and may take effect at any time, or never. */
  record Unknown<V, R>() implements RegisterOutcome<V, R> {}
}
