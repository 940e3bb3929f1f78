package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.PendingCalls.Own;
import io.ensemble.objects.protocol.RootView.Told;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one session (one opening of an object by one process): sends the store one
 * request at a time until the calls of the session have ended, and a few reads beside it ({@link
 * ParallelLooks}).
 *
 * <p>A session with calls applies them to a copy of the state, then replaces the root by a
 * compare-and-set, called a swap. The order of the swaps is the order of the calls. All calls that
 * wait meanwhile are part of the next step (group commit). If the response to a swap is lost or
 * false, the outcome of the swap is unknown. The session then reads the root, which records the
 * last batch of each session.
 *
 * <p>A session that loses swaps to others posts its batch. The session that wins next and receives
 * the posted batch becomes the combiner: it applies the batches of other sessions together with its
 * own. Combining only improves speed. A session whose patience ends swaps the root itself, and
 * takes the place of the combiner.
 *
 * <p>Deviations from Algorithm 2 of D2.6, appendix A: the order is that of swaps and not of events,
 * and the state is stored with each step. Events are only hints on when to read and which root to
 * try.
 *
 * <p>Not thread-safe: the driver passes in one input at a time.
 */
public final class SessionProtocol {

  private final UUID me;
  private final UUID birth;
  private final ProtocolSettings protocolSettings;
  private final RootView rootView = new RootView();
  private final PostedBatches postedBatches;
  private final RootProposer proposer;
  private final PendingReads reads;
  private final PendingCalls pendingCalls;
  private final SessionTiming sessionTiming;
  private final StoreResponseHandler storeResponseHandler;
  private final StoreEventHandler storeEventHandler;
  private final ActionSelector actionSelector;
  private List<ProtocolEffect> effects = new ArrayList<>();
  private final ParallelLooks parallelLooks = new ParallelLooks();
  private @Nullable StoreRequest outstanding;
  private long outstandingNumber;
  private @Nullable CallResult end;
  private boolean closing;
  private boolean mailbox;
  private boolean usedSharedMailbox;
  private boolean wasOnDuty;

  /** Whether this session has proposed itself as the combiner. */
  private boolean proposedItself;

  /**
   * @param me the id of this session; new each time that an object is opened
   * @param birth the birth of the object
   * @param names supplies new names for snapshots, never the same twice
   * @param seed for random pauses
   */
  public SessionProtocol(
      StateMachine machine,
      UUID me,
      UUID birth,
      ProtocolSettings protocolSettings,
      Set<SafetyRule> rules,
      Supplier<UUID> names,
      long seed) {
    this.me = me;
    this.birth = birth;
    this.protocolSettings = protocolSettings;
    this.postedBatches = new PostedBatches(protocolSettings, birth);
    this.proposer = new RootProposer(machine, me, protocolSettings, rules, names);
    this.reads = new PendingReads(machine, protocolSettings, rules);
    this.pendingCalls = new PendingCalls(me, protocolSettings);
    this.sessionTiming = new SessionTiming(protocolSettings, seed);
    this.storeResponseHandler =
        new StoreResponseHandler(me, birth, rootView, postedBatches, proposer, sessionTiming);
    this.storeEventHandler =
        new StoreEventHandler(
            me, birth, rules, rootView, postedBatches, pendingCalls, proposer, sessionTiming);
    this.actionSelector =
        new ActionSelector(
            me, protocolSettings, rootView, postedBatches, sessionTiming, proposer::cannotRead);
  }

  /** Begins with a root that was read, so that the first step needs no read. */
  public void begin(ObjectRoot root, Object token, long now) {
    rootView.began(root, token, now);
  }

  /** Adds a call. */
  public List<ProtocolEffect> call(long id, ByteString call, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean first = pendingCalls.isEmpty() && outstanding == null;
    if (call.size() > protocolSettings.callBytes()) {
      refuse(
          id,
          "a call of "
              + call.size()
              + " bytes is too large; at most "
              + protocolSettings.callBytes());
    } else if (!pendingCalls.add(id, call)) {
      refuse(id, protocolSettings.queued() + " calls of this process are waiting already");
    }
    if (first && rootView.isRisky(me, protocolSettings, sessionTiming.isTold(), now)) {
      rootView.lookFirst();
    }
    return advanced(now);
  }

  /**
   * Adds a call that changes nothing.
   *
   * @param sequential whether a somewhat old root is sufficient, if it contains all calls of this
   *     session
   */
  public List<ProtocolEffect> read(long id, ByteString call, boolean sequential, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean young =
        rootView.root != null && now - rootView.at <= protocolSettings.freshness().toNanos();
    if (!reads.add(id, call, sequential && young ? rootView.hinted : rootView.requests)) {
      refuse(id, protocolSettings.queued() + " reads of this process are waiting already");
    }
    rootView.followed |= sequential;
    return advanced(now);
  }

  /**
   * Withdraws a call whose caller no longer waits.
   *
   * @return whether the call certainly was not applied, and will not be
   */
  public boolean takeBack(long id) {
    return pendingCalls.takeBack(id) || reads.takeBack(id);
  }

  /** An event reports that the object may have changed. */
  public List<ProtocolEffect> hint(long now) {
    storeEventHandler.hint();
    return advanced(now);
  }

  /**
   * An event reports {@code root}, whose version at the store is {@code token}. The object has this
   * root, had it, or came close to it: the write may have been undone.
   */
  public List<ProtocolEffect> told(ObjectRoot root, Object token, long now) {
    storeEventHandler.told(root, token, now);
    return advanced(now);
  }

  /** A session may have posted a batch. */
  public List<ProtocolEffect> mail(UUID session, long now) {
    storeEventHandler.mail(session);
    return advanced(now);
  }

  /** A session has posted this batch, which may be old. */
  public List<ProtocolEffect> mail(CallBatch batch, long now) {
    storeEventHandler.mail(batch);
    return advanced(now);
  }

  /** Reads the object soon, although no call needs it. */
  public List<ProtocolEffect> refresh(long now) {
    rootView.refresh = true;
    return advanced(now);
  }

  /** The last root that the object had, as far as this session knows; null before the first. */
  public @Nullable ObjectRoot root() {
    return rootView.isUnconfirmed() ? null : rootView.root;
  }

  /** The requested wake-up time has come. */
  public List<ProtocolEffect> wake(long now) {
    return advanced(now);
  }

  /** Accepts no further calls; calls in progress end first. */
  public List<ProtocolEffect> close(long now) {
    closing = true;
    return advanced(now);
  }

  /** Whether a session that was closed, or has ended, has nothing left to do. */
  public boolean isDone() {
    boolean idle = outstanding == null && pendingCalls.isEmpty() && reads.isEmpty();
    return idle && (end != null || closing && !onDuty());
  }

  /** The reason why every call is refused from now on, if the session has ended. */
  public Optional<CallResult> end() {
    return Optional.ofNullable(end);
  }

  /** The response to the outstanding request. */
  public List<ProtocolEffect> answered(StoreResponse storeResponse, long now) {
    StoreRequest request = Objects.requireNonNull(outstanding, "no request was sent");
    outstanding = null;
    storeResponseHandler
        .handle(request, storeResponse, outstandingNumber, now, effects)
        .ifPresent(this::end);
    if (storeResponse instanceof StoreResponse.Swapped swapped
        && !swapped.done()
        && sessionTiming.isStarving()) {
      pendingCalls.overlooked();
    }
    if (request instanceof StoreRequest.Post) {
      boolean done =
          storeResponse instanceof StoreResponse.Done; // If not, others may never get it.
      pendingCalls.posted(
          now + (done ? sessionTiming.patience() : 0), now + (done ? sessionTiming.helping() : 0));
      sessionTiming.pollSoon();
      sessionTiming.polled(now);
    }
    return advanced(now);
  }

  /**
   * The response to a {@link ProtocolEffect.LookInParallel}.
   *
   * @param number of the look
   */
  public List<ProtocolEffect> lookedInParallel(long number, StoreResponse storeResponse, long now) {
    OptionalLong sentAt = parallelLooks.end(number);
    if (sentAt.isPresent() && end == null && storeResponse instanceof StoreResponse.Looked looked) {
      storeResponseHandler
          .handleParallel(looked, number, sentAt.getAsLong(), outstanding, now, effects)
          .ifPresent(this::end);
    } else if (sentAt.isPresent() && storeResponse instanceof StoreResponse.Failed) {
      sessionTiming.failed(now);
    }
    return advanced(now);
  }

  private List<ProtocolEffect> advanced(long now) {
    try {
      advance(now);
    } catch (UnreadableException e) {
      end(new CallResult.Broken(String.valueOf(e.getMessage())));
    }
    return taken();
  }

  private void advance(long now) {
    if (end != null) {
      return;
    }
    if (onDuty() != wasOnDuty) {
      wasOnDuty = onDuty();
      sessionTiming.beginDuty(!proposedItself, now);
      proposedItself &= wasOnDuty;
    }
    ObjectRoot known = rootView.root;
    if (known != null && !known.isDisposed() && known.birth().equals(birth)) {
      reads.answer(known, rootView, effects); // Reads that need no later root do not wait.
      sessionTiming.settled(
          pendingCalls.settle(
              known, now, sessionTiming.gathering(), effects)); // No caller waits for this.
    }
    if (outstanding != null) {
      lookInParallel(now);
      return;
    }
    boolean idle = pendingCalls.isEmpty() && reads.isEmpty() && !onDuty();
    if (idle && (closing || !rootView.refresh && (!rootView.lacksToken() || rootView.sought))) {
      return;
    }
    if (now < sessionTiming.notBefore()) {
      effects.add(new ProtocolEffect.WakeAt(sessionTiming.notBefore()));
      return;
    }
    rootView.age(now);
    ObjectRoot root = rootView.root;
    boolean blind = rootView.stale && (rootView.told == null || onDuty() || pendingCalls.isEmpty());
    boolean read = reads.want(rootView.evidence) && !rootView.isUnconfirmed();
    if (root == null || blind || read && pendingCalls.isEmpty()) {
      look(now);
    } else if (root.isDisposed() || !root.birth().equals(birth)) {
      end(new CallResult.Gone());
    } else {
      decide(root, now);
    }
    if (outstanding != null) {
      lookInParallel(now);
    } else if (read && end == null) {
      lookForReads(now); // Calls wait, and so do reads.
    }
  }

  /** Sends a read in parallel, so that no call waits for it. */
  private void lookForReads(long now) {
    if (parallelLooks.isEmpty() || reads.want(parallelLooks.latest()) && parallelLooks.hasRoom()) {
      lookInParallel(List.of(), now);
    }
  }

  /** Sends a read beside the outstanding request, if a call would otherwise wait for both. */
  private void lookInParallel(long now) {
    ObjectRoot root = rootView.root;
    if (root == null || rootView.isUnconfirmed() || !parallelLooks.hasRoom()) {
      return;
    }
    if (reads.want(parallelLooks.latest())) {
      lookInParallel(List.of(), now);
    } else if (outstanding instanceof StoreRequest.Swap swap
        && onDuty()
        && me.equals(swap.next().combiner())
        && parallelLooks.latest() < outstandingNumber
        && !sessionTiming.isTold(now)) {
      List<UUID> mailboxes = postedBatches.mailboxes(root, me, sessionTiming.hasHints());
      if (!mailboxes.isEmpty()) {
        lookInParallel(mailboxes, now);
      }
    } else if (outstanding instanceof StoreRequest.Post
        && mayLookInParallel()
        && parallelLooks.latest() < outstandingNumber) {
      if (now < sessionTiming.lookDuringPostAt()) {
        effects.add(new ProtocolEffect.WakeAt(sessionTiming.lookDuringPostAt()));
      } else {
        lookInParallel(List.of(), now); // The combiner may have resigned.
      }
    } else if (outstanding instanceof StoreRequest.Swap
        && !onDuty()
        && parallelLooks.isEmpty()
        && postedBatches.isSharedDue(root)) {
      lookInParallel(postedBatches.sharedMailbox(root), now);
    }
  }

  private boolean mayLookInParallel() {
    return !rootView.isUnconfirmed() && !sessionTiming.hasHints();
  }

  /**
   * Looks for the step that contains the posted batch. No other request is outstanding then, so
   * that the next batch need not wait for the answer of a look.
   */
  private void waitInParallel(Own own, long now) {
    if (parallelLooks.hasRoom()) {
      own.denseLooks = Math.min(ParallelLooks.DENSE_LOOKS, own.denseLooks + 1);
      lookInParallel(List.of(), now);
    }
    sessionTiming.polled(own.denseLooks < ParallelLooks.DENSE_LOOKS, now);
    effects.add(new ProtocolEffect.WakeAt(sessionTiming.pollAt()));
  }

  private void lookInParallel(List<UUID> mailboxes, long now) {
    long number = ++rootView.requests;
    parallelLooks.add(number, now);
    effects.add(new ProtocolEffect.LookInParallel(number, new StoreRequest.Look(birth, mailboxes)));
  }

  private void decide(ObjectRoot root, long now) {
    Optional<UUID> lacking = reads.answer(root, rootView, effects);
    Own own = pendingCalls.next(root, now);
    Told told = own == null || onDuty() ? null : proposer.buildable(rootView, own);
    boolean passed = rootView.told != null && told == null && own != null && !own.posted;
    if (lacking.isPresent()) {
      ask(new StoreRequest.Fetch(lacking.get()), now);
    } else if (rootView.isUnconfirmed() && !(pendingCalls.isEmpty() && reads.isEmpty())) {
      List<CallBatch> batches = own == null ? List.of() : List.of(own.batch);
      propose(root, batches, own, root.combiner(), now); // Shows whether a later root is lost.
    } else if (passed || rootView.stale && told == null) {
      look(now);
    } else if (onDuty()) {
      take(actionSelector.ofCombiner(root, own, closing, now), root, own, now);
    } else if (own != null) {
      ObjectRoot base = told == null ? root : told.root();
      take(actionSelector.ofMember(base, own, closing, now), base, own, now);
    } else if (rootView.lacksToken() && !rootView.refresh && now < sessionTiming.tokenBy()) {
      effects.add(new ProtocolEffect.WakeAt(sessionTiming.tokenBy()));
    } else if (rootView.refresh && mayLookInParallel() && !closing) {
      rootView.refresh = false;
      lookForReads(now);
    } else if ((rootView.refresh || rootView.lacksToken() && !rootView.sought) && !closing) {
      look(now); // Outside any call, so that the next call finds the root known.
    } else if (!pendingCalls.isEmpty()) {
      effects.add(new ProtocolEffect.WakeAt(pendingCalls.gatheredAt()));
    }
  }

  private void take(SessionAction sessionAction, ObjectRoot root, @Nullable Own own, long now) {
    if (sessionAction instanceof SessionAction.Propose propose) {
      propose(root, propose.batches(), own, propose.combiner(), now);
    } else if (sessionAction instanceof SessionAction.WaitUntil wait) {
      effects.add(new ProtocolEffect.WakeAt(wait.nanos()));
    } else if (sessionAction instanceof SessionAction.Post post && own != null) {
      own.sent = true;
      mailbox |= !post.isShared();
      usedSharedMailbox |= post.isShared();
      ask(new StoreRequest.Post(post.isShared() ? birth : me, own.batch), now);
    } else if (!onDuty() && own != null && own.posted && mayLookInParallel()) {
      waitInParallel(own, now);
    } else if (!onDuty()) {
      look(now);
    } else if (parallelLooks.isEmpty()) { // A combiner may make a step at any time.
      sessionTiming.polled(now);
      lookInParallel(postedBatches.mailboxes(root, me, sessionTiming.hasHints()), now);
    }
  }

  private void propose(
      ObjectRoot root,
      List<CallBatch> batches,
      @Nullable Own own,
      @Nullable UUID combiner,
      long now) {
    Told told = rootView.told;
    Object token = rootView.token;
    CallBatch mine = own == null ? null : own.batch;
    Optional<StoreRequest> request;
    if (told != null && told.root() == root) {
      request = proposer.onTold(rootView, told, batches, mine, combiner);
    } else if (token != null) {
      request = proposer.next(rootView, root, token, batches, mine, combiner);
    } else {
      if (now < sessionTiming.tokenBy()) {
        effects.add(
            new ProtocolEffect.WakeAt(
                sessionTiming.tokenBy())); // An event may report the token sooner than a read.
      } else {
        look(now);
      }
      return;
    }
    if (request.isEmpty()) {
      look(now); // This process can read no batch: they are left to their owners.
      return;
    }
    if (request.get() instanceof StoreRequest.Swap) {
      proposedItself |= me.equals(combiner) && !onDuty();
      if (own != null) {
        own.sent = true;
      }
    }
    ask(request.get(), now);
  }

  private void look(long now) {
    rootView.refresh = false;
    rootView.sought = true;
    sessionTiming.looked(rootView.lacksToken(), now);
    List<UUID> mailboxes =
        onDuty() ? postedBatches.mailboxes(rootView.root, me, sessionTiming.hasHints()) : List.of();
    ask(new StoreRequest.Look(birth, mailboxes), now);
  }

  private void ask(StoreRequest request, long now) {
    outstandingNumber = ++rootView.requests;
    outstanding = request;
    if (request instanceof StoreRequest.Look) {
      parallelLooks.recordLook(outstandingNumber);
    }
    sessionTiming.sent(now);
    effects.add(new ProtocolEffect.Ask(request));
  }

  private boolean onDuty() {
    return rootView.isCombiner(me);
  }

  private boolean refuses(long id) {
    if (end != null) {
      effects.add(new ProtocolEffect.Settle(id, end));
    } else if (closing) {
      refuse(id, "the object is closed");
    }
    return end != null || closing;
  }

  private void refuse(long id, String why) {
    effects.add(new ProtocolEffect.Settle(id, new CallResult.Refused(why)));
  }

  private void end(CallResult callResult) {
    end = callResult;
    reads.endAll(effects, callResult);
    pendingCalls.endAll(effects, callResult, rootView.root);
  }

  private List<ProtocolEffect> taken() {
    if (mailbox && isDone()) {
      mailbox = false;
      effects.add(new ProtocolEffect.DropMailbox(birth, me));
    }
    if (usedSharedMailbox && isDone()) { // A batch of another session in it is posted again.
      usedSharedMailbox = false;
      effects.add(new ProtocolEffect.DropMailbox(birth, birth));
    }
    List<ProtocolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
