package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handles the responses of the store for a session. */
final class StoreResponseHandler {

  private final UUID me;
  private final UUID birth;
  private final RootView rootView;
  private final PostedBatches postedBatches;
  private final RootProposer proposer;
  private final SessionTiming sessionTiming;
  private final MissingSnapshot missingSnapshot = new MissingSnapshot();

  StoreResponseHandler(
      UUID me,
      UUID birth,
      RootView rootView,
      PostedBatches postedBatches,
      RootProposer proposer,
      SessionTiming sessionTiming) {
    this.me = me;
    this.birth = birth;
    this.rootView = rootView;
    this.postedBatches = postedBatches;
    this.proposer = proposer;
    this.sessionTiming = sessionTiming;
  }

  /**
   * Processes a response.
   *
   * @param number of the request
   * @return how every call ends from now on, if the session has ended
   */
  Optional<CallResult> handle(
      StoreRequest request,
      StoreResponse storeResponse,
      long number,
      long now,
      List<ProtocolEffect> effects) {
    if (storeResponse instanceof StoreResponse.Failed) {
      if (request instanceof StoreRequest.Save) {
        proposer.notSaved();
      }
      fail(now);
      return Optional.empty();
    }
    sessionTiming.answered(now);
    if (storeResponse instanceof StoreResponse.Unreadable unreadable) {
      return Optional.of(new CallResult.Broken(unreadable.why()));
    }
    if (storeResponse instanceof StoreResponse.Looked looked) {
      return looked(looked, number, sessionTiming.sentAt(), now, effects);
    }
    if (storeResponse instanceof StoreResponse.Swapped swapped) {
      return swapped(swapped, number, now, effects);
    } else if (storeResponse instanceof StoreResponse.Fetched got) {
      return fetched(((StoreRequest.Fetch) request).snapshot(), got.state(), now);
    } else if (request instanceof StoreRequest.Save) {
      proposer.saved();
    }
    return Optional.empty();
  }

  /**
   * Processes the response to a read that was sent beside the request {@code beside}, if any. Its
   * batches count always. Its root counts if it is the known root; if it is a later one, only while
   * no request depends on the known root.
   *
   * @param number of the read
   * @param asked the time at which the read was sent
   */
  Optional<CallResult> handleParallel(
      StoreResponse.Looked looked,
      long number,
      long asked,
      @Nullable StoreRequest beside,
      long now,
      List<ProtocolEffect> effects) {
    ObjectRoot seen = looked.root();
    ObjectRoot known = rootView.root;
    if (seen == null || known == null || rootView.isUnconfirmed()) {
      return Optional.empty();
    }
    addPosted(looked.posted());
    if (seen.equals(known)) {
      rootView.confirm(number, asked);
      return Optional.empty();
    }
    boolean isIndependent =
        beside == null
            || beside instanceof StoreRequest.Look
            || beside instanceof StoreRequest.Post;
    return isIndependent && seen.sequence() > known.sequence()
        ? looked(looked, number, asked, now, effects)
        : Optional.empty();
  }

  /**
   * Adds the batches of other sessions. The shared mailbox may hold the batch of this session,
   * which is applied as its own batch only.
   */
  private void addPosted(List<CallBatch> posted) {
    posted.stream()
        .filter(batch -> !batch.session().equals(me) && rootView.isNew(batch))
        .forEach(postedBatches::add);
  }

  private Optional<CallResult> looked(
      StoreResponse.Looked looked,
      long number,
      long asked,
      long now,
      List<ProtocolEffect> effects) {
    ObjectRoot seen = looked.root();
    if (seen == null) {
      return Optional.of(new CallResult.Gone());
    }
    if (rootView.isEarlier(seen) && rootView.isOverlapping(number)) {
      rootView.confirm(number, asked);
      rootView.stale = false;
      return Optional.empty();
    }
    if (rootView.isEarlier(seen)) {
      fail(now); // The store may catch up. This root decides nothing.
      rootView.stale = !rootView.sawEarlier(seen, looked.token());
      return Optional.empty();
    }
    rootView.saw(seen, looked.token(), number, asked);
    postedBatches.settle(seen);
    addPosted(looked.posted());
    rootView.looked(asked);
    rootView.stale = false;
    missingSnapshot.looked(seen);
    won(seen, now, effects);
    return Optional.empty();
  }

  private Optional<CallResult> swapped(
      StoreResponse.Swapped swapped, long number, long now, List<ProtocolEffect> effects) {
    ObjectRoot proposed = proposer.proposed();
    if (proposed == null) {
      throw new AssertionError("a compare-and-set that was not proposed");
    }
    if (!swapped.done()) {
      sessionTiming.lost(now);
      rootView.lost(proposed);
      doubt();
      return swapped.found() == null
          ? Optional.empty()
          : looked(swapped.found(), number, sessionTiming.sentAt(), now, effects);
    }
    boolean wasOnDuty = rootView.isCombiner(me);
    rootView.saw(proposed, swapped.token(), number, sessionTiming.sentAt());
    postedBatches.settle(proposed);
    won(proposed, now, effects);
    // Where events report batches, a new combiner reads those that were posted before.
    rootView.stale =
        rootView.isCombiner(me)
            && sessionTiming.isTold()
            && !(wasOnDuty && sessionTiming.isTold(now));
    sessionTiming.awaitToken(now);
    return Optional.empty();
  }

  /** If the root is the one that this session proposed, performs the consequences. */
  private void won(ObjectRoot root, long now, List<ProtocolEffect> effects) {
    Optional<RootDraft> draft = proposer.won(root, rootView);
    if (draft.isPresent()) {
      sessionTiming.won();
      if (draft.get().served(me)) {
        sessionTiming.found(now);
        sessionTiming.pollSoon();
      }
      if (sessionTiming.isTold()) {
        sessionTiming.polled(now); // Events report changes, so no immediate poll is needed.
      }
      draft.get().forgotten().forEach(s -> effects.add(new ProtocolEffect.DropMailbox(birth, s)));
      draft.get().unused().forEach(s -> effects.add(new ProtocolEffect.DropSnapshot(s)));
    }
  }

  private Optional<CallResult> fetched(UUID snapshot, @Nullable ByteString state, long now) {
    if (state != null) {
      rootView.keep(snapshot, state);
      return Optional.empty();
    }
    fail(now); // Removed, so the root is another one by now.
    return missingSnapshot.again(snapshot, now)
        ? Optional.of(
            new CallResult.Broken(
                "the snapshot of the object is missing in the store; snapshot=" + snapshot))
        : Optional.empty();
  }

  private void fail(long now) {
    sessionTiming.failed(now);
    doubt();
  }

  private void doubt() {
    rootView.stale = true;
    proposer.doubt();
  }
}
