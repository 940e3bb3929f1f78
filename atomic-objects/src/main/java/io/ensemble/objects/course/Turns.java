package io.ensemble.objects.course;

import io.ensemble.objects.course.Sight.Told;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a session does next, by the part that it has at a root. */
final class Turns {

  private final UUID me;
  private final Layout layout;
  private final Sight sight;
  private final Mail mail;
  private final Pace pace;
  private final Predicate<Batch> unreadable;

  /**
   * @param unreadable whether this process has found that it cannot read a batch
   */
  Turns(UUID me, Layout layout, Sight sight, Mail mail, Pace pace, Predicate<Batch> unreadable) {
    this.me = me;
    this.layout = layout;
    this.sight = sight;
    this.mail = mail;
    this.pace = pace;
    this.unreadable = unreadable;
  }

  /**
   * Of a combiner: applies what it finds, looks again, and resigns when it has found nothing for
   * long.
   *
   * @param own this session's batch, if it has one
   * @param closing whether it is about to leave
   */
  Turn ofCombiner(Root root, Pending.@Nullable Own own, boolean closing, long now) {
    List<Batch> batches = withOthers(root, own);
    boolean resigns = closing || pace.isTired(now) && batches.size() == (own == null ? 0 : 1);
    if (!batches.isEmpty() || resigns) {
      return new Turn.Propose(batches, resigns ? null : me);
    }
    return now < pace.pollAt() ? new Turn.WaitUntil(pace.pollAt()) : new Turn.Look();
  }

  /** Of a session whose batch another one may apply. */
  Turn ofMember(Root root, Pending.Own own, boolean closing, long now) {
    UUID combiner = root.combiner();
    long end = isCombined(root) ? own.patienceEnds : own.helpBy;
    if (own.posted && now < end) {
      long pollAt = pace.pollAt();
      return now < pollAt ? new Turn.WaitUntil(Math.min(pollAt, end)) : new Turn.Look();
    }
    if (own.posted) {
      return new Turn.Propose(withOthers(root, own), me);
    }
    if (combiner == null) {
      List<Batch> batches = withOthers(root, own);
      boolean loses = pace.isLosing();
      if (loses && batches.size() == 1 && pace.isTold() && !closing) {
        return new Turn.Post(); // Whoever wins hears of it, and combines.
      }
      return new Turn.Propose(batches, loses || batches.size() > 1 ? me : null);
    }
    boolean heard = root.member(me).isPresent() || pace.isTold(); // Of others nobody thinks.
    return heard && !closing ? new Turn.Post() : new Turn.Propose(List.of(own.batch), combiner);
  }

  /** Whether somebody combines, as far as is known or told. */
  private boolean isCombined(Root root) {
    Told told = sight.told;
    return root.combiner() != null || told != null && told.root().combiner() != null;
  }

  private List<Batch> withOthers(Root root, Pending.@Nullable Own own) {
    List<Batch> batches = new ArrayList<>();
    if (own != null) {
      batches.add(own.batch);
    }
    mail.batches().stream()
        .filter(b -> root.standing(b) == Root.Standing.NEW && !unreadable.test(b))
        .limit(Math.max(own == null ? 1 : 0, layout.members() / 2))
        .forEach(batches::add);
    return batches;
  }
}
