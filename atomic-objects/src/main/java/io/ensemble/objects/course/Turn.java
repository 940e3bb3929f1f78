package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a session does next, by the part that it has at a root. Calculation only. */
sealed interface Turn {

  /** Looks at the root again. */
  record Look() implements Turn {}

  /** Does nothing before then. */
  record WaitUntil(long nanos) implements Turn {}

  /** Leaves its batch to the combiner. */
  record Post() implements Turn {}

  /** Applies batches. */
  record Propose(List<Batch> batches, @Nullable UUID combiner) implements Turn {}

  /**
   * Of a combiner: applies what it finds, looks again, and resigns when it has found nothing.
   *
   * @param own this session's batch, if it has one
   * @param posted what was found
   * @param readable whether it can be read here
   * @param tired whether it has found nothing for so long that it resigns
   */
  static Turn ofCombiner(
      UUID me,
      Root root,
      Pending.@Nullable Own own,
      List<Batch> posted,
      Predicate<Batch> readable,
      boolean tired,
      long pollAt,
      long now,
      Layout layout) {
    List<Batch> batches = new ArrayList<>();
    if (own != null) {
      batches.add(own.batch);
    }
    posted.stream()
        .filter(b -> root.standing(b) == Root.Standing.NEW && readable.test(b))
        .limit(Math.max(own == null ? 1 : 0, layout.members() / 2))
        .forEach(batches::add);
    boolean resigns = tired && batches.size() == (own == null ? 0 : 1);
    if (!batches.isEmpty() || resigns) {
      return new Propose(batches, resigns ? null : me);
    }
    return now < pollAt ? new WaitUntil(pollAt) : new Look();
  }

  /**
   * Of a session whose batch another one may apply.
   *
   * @param hasLost whether others came first when it tried itself
   * @param closing whether it is about to leave
   */
  static Turn ofMember(
      UUID me,
      Root root,
      Pending.Own own,
      boolean hasLost,
      boolean closing,
      long pollAt,
      long now) {
    UUID combiner = root.combiner();
    if (own.posted && combiner != null && now < own.patienceEnds) {
      return now < pollAt ? new WaitUntil(Math.min(pollAt, own.patienceEnds)) : new Look();
    }
    List<Batch> batches = List.of(own.batch);
    if (own.posted || combiner == null && hasLost) {
      return new Propose(batches, me);
    }
    return combiner != null && root.member(me).isPresent() && !closing
        ? new Post()
        : new Propose(batches, combiner);
  }
}
