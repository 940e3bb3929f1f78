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
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One session's part in an object: what it asks of the store, one request at a time, until its
 * calls have ended.
 *
 * <p>Whoever has calls applies them to a copy of the state and swaps the root, comparing; that
 * orders them. All calls that wait meanwhile go into the next step (group commit). A swap whose
 * answer is lost, or false, says nothing: the root is looked at, which remembers each session's
 * last batch. Sessions that lose against others post their batches; whoever wins and hears of them
 * combines, which is to apply them with its own. That is for speed: whoever loses patience swaps
 * the root itself, and takes its place.
 *
 * <p>Deviates from Algorithm 2 of D2.6, appendix A: the order is that of swaps and not of events,
 * the state is stored with each step, and events only say when to look and what to try.
 *
 * <p>Not thread-safe: whoever drives it hands in one thing at a time.
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
  private @Nullable StoreRequest outstanding;
  private @Nullable CallResult end;
  private boolean closing;
  private boolean mailbox;

  /**
   * @param me this session; new each time that an object is opened
   * @param birth of the object that is meant
   * @param names new names for snapshots, never the same twice
   * @param seed for pauses
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
    this.postedBatches = new PostedBatches(protocolSettings);
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

  /** Begins with the root as it was found, so that the first step need not look. */
  public void begin(ObjectRoot root, Object token, long now) {
    rootView.began(root, token, now);
  }

  /** A call to make. */
  public List<ProtocolEffect> call(long id, ByteString call, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean first = pendingCalls.isEmpty() && outstanding == null;
    if (call.size() > protocolSettings.callBytes()) {
      refuse(id, "a call of " + call.size() + " bytes; at most " + protocolSettings.callBytes());
    } else if (!pendingCalls.add(id, call)) {
      refuse(id, protocolSettings.queued() + " calls of this process wait already");
    }
    if (first && rootView.isRisky(me, protocolSettings, sessionTiming.isTold(), now)) {
      rootView.lookFirst();
    }
    return advanced(now);
  }

  /**
   * A call that changes nothing.
   *
   * @param sequential whether a root will do that is somewhat old, but holds all of this session
   */
  public List<ProtocolEffect> read(long id, ByteString call, boolean sequential, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean young =
        rootView.root != null && now - rootView.at <= protocolSettings.freshness().toNanos();
    if (!reads.add(id, call, sequential && young ? rootView.hinted : rootView.requests)) {
      refuse(id, protocolSettings.queued() + " reads of this process wait already");
    }
    rootView.followed |= sequential;
    return advanced(now);
  }

  /**
   * Takes a call back whose caller waits no more.
   *
   * @return whether it certainly was not made, and will not be
   */
  public boolean takeBack(long id) {
    return pendingCalls.takeBack(id) || reads.takeBack(id);
  }

  /** Something has happened to the object, perhaps. */
  public List<ProtocolEffect> hint(long now) {
    storeEventHandler.hint();
    return advanced(now);
  }

  /**
   * The object has come to {@code root}, or had, or nearly; the store knows that by {@code token}.
   */
  public List<ProtocolEffect> told(ObjectRoot root, Object token, long now) {
    storeEventHandler.told(root, token, now);
    return advanced(now);
  }

  /** A session has posted a batch, perhaps. */
  public List<ProtocolEffect> mail(UUID session, long now) {
    storeEventHandler.mail(session);
    return advanced(now);
  }

  /** A session has posted this batch, perhaps long ago. */
  public List<ProtocolEffect> mail(CallBatch batch, long now) {
    storeEventHandler.mail(batch);
    return advanced(now);
  }

  /** The time that was asked for has come. */
  public List<ProtocolEffect> wake(long now) {
    return advanced(now);
  }

  /** No calls any more; what is under way ends first. */
  public List<ProtocolEffect> close(long now) {
    closing = true;
    return advanced(now);
  }

  /** Whether nothing is left to do for a course that was closed, or has ended. */
  public boolean isDone() {
    boolean idle = outstanding == null && pendingCalls.isEmpty() && reads.isEmpty();
    return idle && (end != null || closing && !onDuty());
  }

  /** Why every call is refused from now on, if it is. */
  public Optional<CallResult> end() {
    return Optional.ofNullable(end);
  }

  /** The answer to the request under way. */
  public List<ProtocolEffect> answered(StoreResponse storeResponse, long now) {
    StoreRequest request = Objects.requireNonNull(outstanding, "nothing was asked");
    outstanding = null;
    storeResponseHandler
        .hear(request, storeResponse, rootView.requests, now, effects)
        .ifPresent(this::end);
    if (request instanceof StoreRequest.Post) {
      boolean done =
          storeResponse instanceof StoreResponse.Done; // If not, nobody else may ever have it.
      pendingCalls.posted(
          now + (done ? sessionTiming.patience() : 0), now + (done ? sessionTiming.helping() : 0));
      sessionTiming.pollSoon();
      sessionTiming.polled(now);
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
    ObjectRoot known = rootView.root;
    if (known != null && !known.isDisposed() && known.birth().equals(birth)) {
      reads.answer(known, rootView, effects); // Those that need nothing younger need not wait.
      sessionTiming.settled(
          pendingCalls.settle(
              known, now, sessionTiming.gathering(), effects)); // Nobody waits for it.
    }
    if (outstanding != null) {
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
    if (root == null || blind || reads.want(rootView.evidence)) {
      look(now);
    } else if (root.isDisposed() || !root.birth().equals(birth)) {
      end(new CallResult.Gone());
    } else {
      decide(root, now);
    }
  }

  private void decide(ObjectRoot root, long now) {
    Optional<UUID> lacking = reads.answer(root, rootView, effects);
    Own own = pendingCalls.next(root, now);
    Told told = own == null || onDuty() ? null : proposer.buildable(rootView, own);
    boolean passed = rootView.told != null && told == null && own != null && !own.posted;
    if (lacking.isPresent()) {
      ask(new StoreRequest.Fetch(lacking.get()), now);
    } else if (passed || rootView.stale && told == null) {
      look(now);
    } else if (onDuty()) {
      take(actionSelector.ofCombiner(root, own, closing, now), root, own, now);
    } else if (own != null) {
      ObjectRoot base = told == null ? root : told.root();
      take(actionSelector.ofMember(base, own, closing, now), base, own, now);
    } else if (rootView.lacksToken() && !rootView.refresh && now < sessionTiming.tokenBy()) {
      effects.add(new ProtocolEffect.WakeAt(sessionTiming.tokenBy()));
    } else if ((rootView.refresh || rootView.lacksToken() && !rootView.sought) && !closing) {
      look(now); // Off the path of any call, so that the next one finds the root known.
    } else if (!pendingCalls.isEmpty()) {
      effects.add(new ProtocolEffect.WakeAt(pendingCalls.gatheredAt()));
    }
  }

  private void take(SessionAction sessionAction, ObjectRoot root, @Nullable Own own, long now) {
    if (sessionAction instanceof SessionAction.Propose propose) {
      propose(root, propose.batches(), own, propose.combiner(), now);
    } else if (sessionAction instanceof SessionAction.WaitUntil wait) {
      effects.add(new ProtocolEffect.WakeAt(wait.nanos()));
    } else if (sessionAction instanceof SessionAction.Post && own != null) {
      own.sent = true;
      mailbox = true;
      ask(new StoreRequest.Post(own.batch), now);
    } else {
      look(now);
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
                sessionTiming.tokenBy())); // An event may tell it sooner than a look.
      } else {
        look(now);
      }
      return;
    }
    if (request.isEmpty()) {
      look(now); // Nothing of it can be read here: it is left to those who posted it.
      return;
    }
    if (request.get() instanceof StoreRequest.Swap) {
      if (me.equals(combiner) && !onDuty()) {
        sessionTiming.found(now);
      }
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
    rootView.requests++;
    outstanding = request;
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
    List<ProtocolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
