package io.ensemble.versioning.listen;

import io.ensemble.versioning.drive.VersionFeed.Addition;
import io.ensemble.versioning.drive.VersionFeed.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which versions of a key are delivered next, from the last delivered position and the
 * additions found after it. The versions ever added are numbered without a gap. So a number that a
 * read should have found, and did not, is that of a removed version.
 *
 * @param steps in their order
 * @param more whether another read may find more
 */
record DeliveryPlan<T>(List<Step<T>> steps, boolean more) {

  /** One delivery; afterwards the key is delivered up to the position {@code then}. */
  sealed interface Step<T> {
    KeyPosition then();
  }

  /** A version was added. */
  record Added<T>(Addition<T> addition, KeyPosition then) implements Step<T> {}

  /** Versions were removed. */
  record Gone<T>(long first, long last, Optional<T> horizon, KeyPosition then) implements Step<T> {}

  /** The key has another history. */
  record OtherHistory<T>(long last, KeyPosition then) implements Step<T> {}

  /** A position to record, without a delivery. */
  record Noted<T>(KeyPosition then) implements Step<T> {}

  /** Copies the list. */
  DeliveryPlan {
    steps = List.copyOf(steps);
  }

  /**
   * Plans the next steps.
   *
   * @param found the first additions after the position; empty if the key has no history
   * @param limit the number of requested versions
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
