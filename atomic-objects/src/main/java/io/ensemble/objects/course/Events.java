package io.ensemble.objects.course;

import io.ensemble.objects.course.Pending.Own;
import io.ensemble.objects.course.Sight.Told;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Root;
import java.util.Set;
import java.util.UUID;

/** What events mean for a session: when to look, and what to try. Nothing is decided by them. */
final class Events {

  private final UUID me;
  private final UUID birth;
  private final Set<Rule> rules;
  private final Sight sight;
  private final Mail mail;
  private final Pending pending;
  private final Proposer proposer;
  private final Pace pace;

  Events(
      UUID me,
      UUID birth,
      Set<Rule> rules,
      Sight sight,
      Mail mail,
      Pending pending,
      Proposer proposer,
      Pace pace) {
    this.me = me;
    this.birth = birth;
    this.rules = rules;
    this.sight = sight;
    this.mail = mail;
    this.pending = pending;
    this.proposer = proposer;
    this.pace = pace;
  }

  /** Something has happened to the object, perhaps. */
  void hint() {
    pace.hinted();
    if (!sight.isCombiner(me)) { // A combiner is told of its own steps, for the most part.
      pace.pollNow();
    }
    sight.hinted = sight.requests;
    sight.refresh |= sight.followed;
    if (!rules.contains(Rule.EVENTS_ARE_HINTS) && sight.root != null) {
      sight.evidence = sight.requests + 1;
    }
  }

  /** The object has come to this root, or had once, or may have nearly. */
  void told(Root root, Object token, long now) {
    pace.told();
    if (!rules.contains(Rule.EVENTS_ARE_HINTS)) {
      sight.saw(root, token, sight.requests + 1, now);
    } else if (!root.birth().equals(birth)) {
      hint();
    } else if (sight.hears(new Told(root, token, now))) {
      Own own = pending.own();
      sight.hinted = sight.requests;
      sight.refresh |= sight.followed;
      if (sight.isCombiner(me)) {
        sight.stale |= !root.equals(proposer.proposed()); // Somebody else has come first.
      } else if (own == null || root.standing(own.batch) != Root.Standing.NEW) {
        pace.pollNow();
      }
    }
  }

  /** A session has posted a batch, perhaps. */
  void mail(UUID session) {
    pace.hinted();
    if (sight.isCombiner(me) && !session.equals(me)) {
      mail.from(session);
      pace.pollNow();
    }
  }

  /** A session has posted this batch, perhaps long ago. */
  void mail(Batch batch) {
    pace.told();
    Root root = sight.root;
    boolean mayCombine = root != null && (root.combiner() == null || sight.isCombiner(me));
    if (mayCombine && !batch.session().equals(me) && sight.isNew(batch)) {
      mail.add(batch);
    }
  }
}
