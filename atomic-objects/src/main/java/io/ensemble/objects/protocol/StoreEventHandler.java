package io.ensemble.objects.protocol;

import io.ensemble.objects.protocol.PendingCalls.Own;
import io.ensemble.objects.protocol.RootView.Told;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.Set;
import java.util.UUID;

/**
 * Handles the events of the store for a session: they determine when to read and which root to try.
 * They decide no outcome.
 */
final class StoreEventHandler {

  private final UUID me;
  private final UUID birth;
  private final Set<SafetyRule> rules;
  private final RootView rootView;
  private final PostedBatches postedBatches;
  private final PendingCalls pendingCalls;
  private final RootProposer proposer;
  private final SessionTiming sessionTiming;

  StoreEventHandler(
      UUID me,
      UUID birth,
      Set<SafetyRule> rules,
      RootView rootView,
      PostedBatches postedBatches,
      PendingCalls pendingCalls,
      RootProposer proposer,
      SessionTiming sessionTiming) {
    this.me = me;
    this.birth = birth;
    this.rules = rules;
    this.rootView = rootView;
    this.postedBatches = postedBatches;
    this.pendingCalls = pendingCalls;
    this.proposer = proposer;
    this.sessionTiming = sessionTiming;
  }

  /** The object may have changed. */
  void hint() {
    sessionTiming.hinted();
    if (!rootView.isCombiner(me)) { // Most events at a combiner report its own steps.
      sessionTiming.pollNow();
    }
    rootView.hinted = rootView.requests;
    rootView.refresh |= rootView.followed;
    if (!rules.contains(SafetyRule.EVENTS_ARE_HINTS) && rootView.root != null) {
      rootView.evidence = rootView.requests + 1;
    }
  }

  /** The object has this root, had it once, or came close to it: the write may have been undone. */
  void told(ObjectRoot root, Object token, long now) {
    sessionTiming.told();
    if (!rules.contains(SafetyRule.EVENTS_ARE_HINTS)) {
      rootView.saw(root, token, rootView.requests + 1, now);
    } else if (!root.birth().equals(birth) || rootView.contradicts(root)) {
      hint();
    } else if (rootView.hears(new Told(root, token, now))) {
      Own own = pendingCalls.own();
      rootView.hinted = rootView.requests;
      rootView.refresh |= rootView.followed;
      if (rootView.isCombiner(me)) {
        rootView.stale |= !root.equals(proposer.proposed()); // Another session came first.
      } else if (own == null || root.standing(own.batch) != ObjectRoot.Standing.NEW) {
        sessionTiming.pollNow();
      }
    }
  }

  /** A session may have posted a batch. */
  void mail(UUID session) {
    sessionTiming.hinted();
    if (rootView.isCombiner(me) && !session.equals(me)) {
      postedBatches.from(session);
      sessionTiming.pollNow();
    }
  }

  /** A session has posted this batch, which may be old. */
  void mail(CallBatch batch) {
    sessionTiming.told();
    ObjectRoot root = rootView.root;
    boolean mayCombine = root != null && (root.combiner() == null || rootView.isCombiner(me));
    if (mayCombine && !batch.session().equals(me) && rootView.isNew(batch)) {
      postedBatches.add(batch);
    }
  }
}
