package io.ensemble.versioning.listen;

import io.ensemble.versioning.drive.VersionFeed.Addition;
import io.ensemble.versioning.drive.VersionFeed.Page;
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
record DeliveryPlan<T>(List<Step<T>> steps, boolean more) {

  /** Something to tell, after which the key is told as far as a mark. */
  sealed interface Step<T> {
    KeyPosition then();
  }

  /** A version was added. */
  record Added<T>(Addition<T> addition, KeyPosition then) implements Step<T> {}

  /** Versions are gone. */
  record Gone<T>(long first, long last, Optional<T> horizon, KeyPosition then) implements Step<T> {}

  /** There is another history. */
  record OtherHistory<T>(long last, KeyPosition then) implements Step<T> {}

  /** There is nothing to tell, but to note. */
  record Noted<T>(KeyPosition then) implements Step<T> {}

  /** Copies the list. */
  DeliveryPlan {
    steps = List.copyOf(steps);
  }

  /**
   * What follows.
   *
   * @param found what was added after the mark, the first ones; empty if the key has no history
   * @param limit how many were asked for
   */
  static <T> DeliveryPlan<T> of(KeyPosition keyPosition, Optional<Page<T>> found, int limit) {
    if (found.isEmpty()) {
      return new DeliveryPlan<>(List.of(), false);
    }
    long history = KeyPosition.history(found.get().history());
    if (keyPosition.history() != 0 && keyPosition.history() != history) {
      Step<T> step = new OtherHistory<>(keyPosition.sequence(), new KeyPosition(history, 0));
      return new DeliveryPlan<>(List.of(step), true);
    }
    boolean more = found.get().items().size() >= limit;
    return new DeliveryPlan<>(steps(keyPosition, history, found.get(), more), more);
  }

  private static <T> List<Step<T>> steps(
      KeyPosition keyPosition, long history, Page<T> page, boolean more) {
    List<Step<T>> steps = new ArrayList<>();
    long told = keyPosition.sequence();
    for (Addition<T> addition : page.items()) {
      told = upTo(steps, addition.sequence() - 1, told, history, page);
      told = addition.sequence();
      steps.add(new Added<>(addition, new KeyPosition(history, told)));
    }
    if (!more) {
      upTo(steps, page.lastSequence(), told, history, page);
    }
    if (steps.isEmpty() && keyPosition.history() == 0) {
      steps.add(new Noted<>(new KeyPosition(history, keyPosition.sequence())));
    }
    return steps;
  }

  private static <T> long upTo(
      List<Step<T>> steps, long last, long told, long history, Page<T> page) {
    if (last <= told) {
      return told;
    }
    steps.add(new Gone<>(told + 1, last, page.horizon(), new KeyPosition(history, last)));
    return last;
  }
}
