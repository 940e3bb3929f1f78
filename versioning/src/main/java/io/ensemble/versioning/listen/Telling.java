package io.ensemble.versioning.listen;

import io.ensemble.versioning.drive.Additions.Addition;
import io.ensemble.versioning.drive.Additions.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what is to be told of a key, from how far it was told and what a look found after that.
 * Every version that was ever added has its number, without a break: a number that the look should
 * have found, and has not, is of one that is gone.
 *
 * @param steps in their order
 * @param more whether another look may find more
 */
record Telling<T>(List<Step<T>> steps, boolean more) {

  /** Something to tell, after which the key is told as far as a mark. */
  sealed interface Step<T> {
    Mark then();
  }

  /** A version was added. */
  record Added<T>(Addition<T> addition, Mark then) implements Step<T> {}

  /** Versions are gone. */
  record Gone<T>(long first, long last, Optional<T> horizon, Mark then) implements Step<T> {}

  /** There is another history. */
  record OtherHistory<T>(long last, Mark then) implements Step<T> {}

  /** There is nothing to tell, but to note. */
  record Noted<T>(Mark then) implements Step<T> {}

  /** Copies the list. */
  Telling {
    steps = List.copyOf(steps);
  }

  /**
   * What follows.
   *
   * @param found what was added after the mark, the first ones; empty if the key has no history
   * @param limit how many were asked for
   */
  static <T> Telling<T> of(Mark mark, Optional<Page<T>> found, int limit) {
    if (found.isEmpty()) {
      return new Telling<>(List.of(), false);
    }
    long history = Mark.history(found.get().history());
    if (mark.history() != 0 && mark.history() != history) {
      Step<T> step = new OtherHistory<>(mark.sequence(), new Mark(history, 0));
      return new Telling<>(List.of(step), true);
    }
    boolean more = found.get().items().size() >= limit;
    return new Telling<>(steps(mark, history, found.get(), more), more);
  }

  private static <T> List<Step<T>> steps(Mark mark, long history, Page<T> page, boolean more) {
    List<Step<T>> steps = new ArrayList<>();
    long told = mark.sequence();
    for (Addition<T> addition : page.items()) {
      told = upTo(steps, addition.sequence() - 1, told, history, page);
      told = addition.sequence();
      steps.add(new Added<>(addition, new Mark(history, told)));
    }
    if (!more) {
      upTo(steps, page.lastSequence(), told, history, page);
    }
    if (steps.isEmpty() && mark.history() == 0) {
      steps.add(new Noted<>(new Mark(history, mark.sequence())));
    }
    return steps;
  }

  private static <T> long upTo(
      List<Step<T>> steps, long last, long told, long history, Page<T> page) {
    if (last <= told) {
      return told;
    }
    steps.add(new Gone<>(told + 1, last, page.horizon(), new Mark(history, last)));
    return last;
  }
}
