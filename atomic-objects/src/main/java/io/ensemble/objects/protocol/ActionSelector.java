package io.ensemble.objects.protocol;

import io.ensemble.objects.protocol.RootView.Told;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the next action of a session, by the role of the session at a root: combiner or member.
 */
final class ActionSelector {

  private final UUID me;
  private final ProtocolSettings protocolSettings;
  private final RootView rootView;
  private final PostedBatches postedBatches;
  private final SessionTiming sessionTiming;
  private final Predicate<CallBatch> unreadable;

  /**
   * @param unreadable whether this process has found that it cannot read a batch
   */
  ActionSelector(
      UUID me,
      ProtocolSettings protocolSettings,
      RootView rootView,
      PostedBatches postedBatches,
      SessionTiming sessionTiming,
      Predicate<CallBatch> unreadable) {
    this.me = me;
    this.protocolSettings = protocolSettings;
    this.rootView = rootView;
    this.postedBatches = postedBatches;
    this.sessionTiming = sessionTiming;
    this.unreadable = unreadable;
  }

  /**
   * The action of a combiner: it applies the batches that it finds, reads again, and resigns when
   * it has found none for a long time.
   *
   * @param own the batch of this session, if there is one
   * @param closing whether the session is closing
   */
  SessionAction ofCombiner(
      ObjectRoot root, PendingCalls.@Nullable Own own, boolean closing, long now) {
    List<CallBatch> batches = withOthers(root, own);
    boolean resigns =
        closing || sessionTiming.isTired(now) && batches.size() == (own == null ? 0 : 1);
    boolean expectsOwn = own == null && !closing && now < sessionTiming.ownCallBy();
    if (!expectsOwn && (!batches.isEmpty() || resigns)) {
      return new SessionAction.Propose(batches, resigns ? null : me);
    }
    if (expectsOwn) { // A read would delay that call.
      return new SessionAction.WaitUntil(sessionTiming.ownCallBy());
    }
    return now >= sessionTiming.pollAt()
        ? new SessionAction.Look()
        : new SessionAction.WaitUntil(sessionTiming.pollAt());
  }

  /** The action of a session whose batch another session may apply. */
  SessionAction ofMember(ObjectRoot root, PendingCalls.Own own, boolean closing, long now) {
    UUID combiner = root.combiner();
    long end = isCombined(root) ? own.patienceEnds : own.helpBy;
    if (own.posted && now < end) {
      long pollAt = sessionTiming.pollAt();
      return now < pollAt
          ? new SessionAction.WaitUntil(Math.min(pollAt, end))
          : new SessionAction.Look();
    }
    if (own.posted) {
      return new SessionAction.Propose(withOthers(root, own), me);
    }
    if (combiner == null) {
      List<CallBatch> batches = withOthers(root, own);
      boolean loses = sessionTiming.isLosing();
      if (loses && batches.size() == 1 && sessionTiming.isTold() && !closing) {
        // The winner gets the event, and combines. If it has missed one, it looks there later.
        return new SessionAction.Post(own.isOverlooked);
      }
      if (sessionTiming.isStarving() && !sessionTiming.isTold()) {
        return new SessionAction.Post(true); // The winner looks there from time to time.
      }
      return new SessionAction.Propose(batches, loses || batches.size() > 1 ? me : null);
    }
    if (closing && !sessionTiming.isStarving()) {
      return new SessionAction.Propose(List.of(own.batch), combiner);
    }
    // The mailbox of another session is read only if an event reports it.
    boolean isRead = PostedBatches.isPolled(root, me) || sessionTiming.isTold();
    return isRead || sessionTiming.isLosing()
        ? new SessionAction.Post(!isRead || own.isOverlooked)
        : new SessionAction.Propose(List.of(own.batch), combiner);
  }

  /** Whether a session combines, by the root as read or as an event reported it. */
  private boolean isCombined(ObjectRoot root) {
    Told told = rootView.told;
    return root.combiner() != null || told != null && told.root().combiner() != null;
  }

  private List<CallBatch> withOthers(ObjectRoot root, PendingCalls.@Nullable Own own) {
    List<CallBatch> batches = new ArrayList<>();
    if (own != null) {
      batches.add(own.batch);
    }
    postedBatches.batches().stream()
        .filter(b -> root.standing(b) == ObjectRoot.Standing.NEW && !unreadable.test(b))
        .limit(Math.max(own == null ? 1 : 0, protocolSettings.members() / 2))
        .forEach(batches::add);
    return batches;
  }
}
