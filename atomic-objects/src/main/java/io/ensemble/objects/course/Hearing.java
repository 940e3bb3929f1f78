package io.ensemble.objects.course;

import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the store's answers mean for a session. */
final class Hearing {

  private final UUID me;
  private final UUID birth;
  private final Sight sight;
  private final Mail mail;
  private final Proposer proposer;
  private final Pace pace;
  private final Missed missed = new Missed();

  Hearing(UUID me, UUID birth, Sight sight, Mail mail, Proposer proposer, Pace pace) {
    this.me = me;
    this.birth = birth;
    this.sight = sight;
    this.mail = mail;
    this.proposer = proposer;
    this.pace = pace;
  }

  /**
   * Takes an answer in.
   *
   * @param number of the request that it answers
   * @return how every call ends from now on, if there can be no other
   */
  Optional<Verdict> hear(
      Request request, Answer answer, long number, long now, List<Effect> effects) {
    if (answer instanceof Answer.Failed) {
      if (request instanceof Request.Save) {
        proposer.notSaved();
      }
      fail(now);
      return Optional.empty();
    }
    pace.answered(now);
    if (answer instanceof Answer.Unreadable unreadable) {
      return Optional.of(new Verdict.Broken(unreadable.why()));
    }
    if (answer instanceof Answer.Looked looked) {
      return looked(looked, number, now, effects);
    }
    if (answer instanceof Answer.Swapped swapped) {
      swapped(swapped, number, now, effects);
    } else if (answer instanceof Answer.Fetched got) {
      return fetched(((Request.Fetch) request).snapshot(), got.state(), now);
    } else if (request instanceof Request.Save) {
      proposer.saved();
    }
    return Optional.empty();
  }

  private Optional<Verdict> looked(
      Answer.Looked looked, long number, long now, List<Effect> effects) {
    Root seen = looked.root();
    if (seen == null) {
      return Optional.of(new Verdict.Gone());
    }
    if (sight.root != null && seen.sequence() < sight.root.sequence()) {
      fail(now); // The store shows an earlier root. It may catch up; this one decides nothing.
      return Optional.empty();
    }
    sight.saw(seen, looked.token(), number, pace.sentAt());
    mail.settle(seen);
    looked.posted().stream().filter(sight::isNew).forEach(mail::add);
    sight.looked(pace.sentAt());
    sight.stale = false;
    missed.looked(seen);
    won(seen, now, effects);
    return Optional.empty();
  }

  private void swapped(Answer.Swapped swapped, long number, long now, List<Effect> effects) {
    Root proposed = proposer.proposed();
    if (proposed == null) {
      throw new AssertionError("a swap that was not proposed");
    }
    if (!swapped.done()) {
      pace.lost(now);
      sight.lost(proposed);
      doubt();
      return;
    }
    boolean wasOnDuty = sight.isCombiner(me);
    sight.saw(proposed, swapped.token(), number, pace.sentAt());
    mail.settle(proposed);
    won(proposed, now, effects);
    // Whoever combines looks at what was posted meanwhile, unless events tell it.
    sight.stale = sight.isCombiner(me) && !(wasOnDuty && pace.isTold(now));
    pace.awaitToken(now);
  }

  /** If the root is the one that was proposed here, what follows. */
  private void won(Root root, long now, List<Effect> effects) {
    Optional<Draft> draft = proposer.won(root, sight);
    if (draft.isPresent()) {
      pace.won();
      if (draft.get().served(me)) {
        pace.found(now);
        pace.pollSoon();
      }
      if (pace.isTold()) {
        pace.polled(now); // What comes is told; nobody need look for it at once.
      }
      draft.get().forgotten().forEach(s -> effects.add(new Effect.DropMailbox(birth, s)));
      draft.get().unused().forEach(s -> effects.add(new Effect.DropSnapshot(s)));
    }
  }

  private Optional<Verdict> fetched(UUID snapshot, @Nullable Bytes state, long now) {
    if (state != null) {
      sight.keep(snapshot, state);
      return Optional.empty();
    }
    fail(now); // Removed, so that the root is another one by now.
    return missed.again(snapshot, now)
        ? Optional.of(new Verdict.Broken("its snapshot is not in the store; snapshot=" + snapshot))
        : Optional.empty();
  }

  private void fail(long now) {
    pace.failed(now);
    doubt();
  }

  private void doubt() {
    sight.stale = true;
    proposer.doubt();
  }
}
