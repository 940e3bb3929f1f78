package io.ensemble.objects.course;

import io.ensemble.objects.course.Pending.Own;
import io.ensemble.objects.course.Sight.Told;
import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
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
public final class Course {

  private final UUID me;
  private final UUID birth;
  private final Layout layout;
  private final Sight sight = new Sight();
  private final Mail mail;
  private final Proposer proposer;
  private final Reads reads;
  private final Pending pending;
  private final Pace pace;
  private final Hearing hearing;
  private final Events events;
  private final Turns turns;
  private List<Effect> effects = new ArrayList<>();
  private @Nullable Request outstanding;
  private @Nullable Verdict end;
  private boolean closing;
  private boolean mailbox;

  /**
   * @param me this session; new each time that an object is opened
   * @param birth of the object that is meant
   * @param names new names for snapshots, never the same twice
   * @param seed for pauses
   */
  public Course(
      Machine machine,
      UUID me,
      UUID birth,
      Layout layout,
      Set<Rule> rules,
      Supplier<UUID> names,
      long seed) {
    this.me = me;
    this.birth = birth;
    this.layout = layout;
    this.mail = new Mail(layout);
    this.proposer = new Proposer(machine, me, layout, rules, names);
    this.reads = new Reads(machine, layout, rules);
    this.pending = new Pending(me, layout);
    this.pace = new Pace(layout, seed);
    this.hearing = new Hearing(me, birth, sight, mail, proposer, pace);
    this.events = new Events(me, birth, rules, sight, mail, pending, proposer, pace);
    this.turns = new Turns(me, layout, sight, mail, pace, proposer::cannotRead);
  }

  /** Begins with the root as it was found, so that the first step need not look. */
  public void begin(Root root, Object token, long now) {
    sight.began(root, token, now);
  }

  /** A call to make. */
  public List<Effect> call(long id, Bytes call, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean first = pending.isEmpty() && outstanding == null;
    if (call.size() > layout.callBytes()) {
      refuse(id, "a call of " + call.size() + " bytes; at most " + layout.callBytes());
    } else if (!pending.add(id, call)) {
      refuse(id, layout.queued() + " calls of this process wait already");
    }
    if (first && sight.isRisky(me, layout, pace.isTold(), now)) {
      sight.lookFirst();
    }
    return advanced(now);
  }

  /**
   * A call that changes nothing.
   *
   * @param sequential whether a root will do that is somewhat old, but holds all of this session
   */
  public List<Effect> read(long id, Bytes call, boolean sequential, long now) {
    if (refuses(id)) {
      return taken();
    }
    boolean young = sight.root != null && now - sight.at <= layout.freshness().toNanos();
    if (!reads.add(id, call, sequential && young ? sight.hinted : sight.requests)) {
      refuse(id, layout.queued() + " reads of this process wait already");
    }
    sight.followed |= sequential;
    return advanced(now);
  }

  /**
   * Takes a call back whose caller waits no more.
   *
   * @return whether it certainly was not made, and will not be
   */
  public boolean takeBack(long id) {
    return pending.takeBack(id) || reads.takeBack(id);
  }

  /** Something has happened to the object, perhaps. */
  public List<Effect> hint(long now) {
    events.hint();
    return advanced(now);
  }

  /**
   * The object has come to {@code root}, or had, or nearly; the store knows that by {@code token}.
   */
  public List<Effect> told(Root root, Object token, long now) {
    events.told(root, token, now);
    return advanced(now);
  }

  /** A session has posted a batch, perhaps. */
  public List<Effect> mail(UUID session, long now) {
    events.mail(session);
    return advanced(now);
  }

  /** A session has posted this batch, perhaps long ago. */
  public List<Effect> mail(Batch batch, long now) {
    events.mail(batch);
    return advanced(now);
  }

  /** The time that was asked for has come. */
  public List<Effect> wake(long now) {
    return advanced(now);
  }

  /** No calls any more; what is under way ends first. */
  public List<Effect> close(long now) {
    closing = true;
    return advanced(now);
  }

  /** Whether nothing is left to do for a course that was closed, or has ended. */
  public boolean isDone() {
    boolean idle = outstanding == null && pending.isEmpty() && reads.isEmpty();
    return idle && (end != null || closing && !onDuty());
  }

  /** Why every call is refused from now on, if it is. */
  public Optional<Verdict> end() {
    return Optional.ofNullable(end);
  }

  /** The answer to the request under way. */
  public List<Effect> answered(Answer answer, long now) {
    Request request = Objects.requireNonNull(outstanding, "nothing was asked");
    outstanding = null;
    hearing.hear(request, answer, sight.requests, now, effects).ifPresent(this::end);
    if (request instanceof Request.Post) {
      boolean done = answer instanceof Answer.Done; // If not, nobody else may ever have it.
      pending.posted(now + (done ? pace.patience() : 0), now + (done ? pace.helping() : 0));
      pace.pollSoon();
      pace.polled(now);
    }
    return advanced(now);
  }

  private List<Effect> advanced(long now) {
    try {
      advance(now);
    } catch (UnreadableException e) {
      end(new Verdict.Broken(String.valueOf(e.getMessage())));
    }
    return taken();
  }

  private void advance(long now) {
    if (end != null) {
      return;
    }
    Root known = sight.root;
    if (known != null && !known.isDisposed() && known.birth().equals(birth)) {
      reads.answer(known, sight, effects); // Those that need nothing younger need not wait.
      pace.settled(pending.settle(known, now, pace.gathering(), effects)); // Nobody waits for it.
    }
    if (outstanding != null) {
      return;
    }
    boolean idle = pending.isEmpty() && reads.isEmpty() && !onDuty();
    if (idle && (closing || !sight.refresh && (!sight.lacksToken() || sight.sought))) {
      return;
    }
    if (now < pace.notBefore()) {
      effects.add(new Effect.WakeAt(pace.notBefore()));
      return;
    }
    sight.age(now);
    Root root = sight.root;
    boolean blind = sight.stale && (sight.told == null || onDuty() || pending.isEmpty());
    if (root == null || blind || reads.want(sight.evidence)) {
      look(now);
    } else if (root.isDisposed() || !root.birth().equals(birth)) {
      end(new Verdict.Gone());
    } else {
      decide(root, now);
    }
  }

  private void decide(Root root, long now) {
    Optional<UUID> lacking = reads.answer(root, sight, effects);
    Own own = pending.next(root, now);
    Told told = own == null || onDuty() ? null : proposer.buildable(sight, own);
    boolean passed = sight.told != null && told == null && own != null && !own.posted;
    if (lacking.isPresent()) {
      ask(new Request.Fetch(lacking.get()), now);
    } else if (passed || sight.stale && told == null) {
      look(now);
    } else if (onDuty()) {
      take(turns.ofCombiner(root, own, closing, now), root, own, now);
    } else if (own != null) {
      Root base = told == null ? root : told.root();
      take(turns.ofMember(base, own, closing, now), base, own, now);
    } else if (sight.lacksToken() && !sight.refresh && now < pace.tokenBy()) {
      effects.add(new Effect.WakeAt(pace.tokenBy()));
    } else if ((sight.refresh || sight.lacksToken() && !sight.sought) && !closing) {
      look(now); // Off the path of any call, so that the next one finds the root known.
    } else if (!pending.isEmpty()) {
      effects.add(new Effect.WakeAt(pending.gatheredAt()));
    }
  }

  private void take(Turn turn, Root root, @Nullable Own own, long now) {
    if (turn instanceof Turn.Propose propose) {
      propose(root, propose.batches(), own, propose.combiner(), now);
    } else if (turn instanceof Turn.WaitUntil wait) {
      effects.add(new Effect.WakeAt(wait.nanos()));
    } else if (turn instanceof Turn.Post && own != null) {
      own.sent = true;
      mailbox = true;
      ask(new Request.Post(own.batch), now);
    } else {
      look(now);
    }
  }

  private void propose(
      Root root, List<Batch> batches, @Nullable Own own, @Nullable UUID combiner, long now) {
    Told told = sight.told;
    Object token = sight.token;
    Batch mine = own == null ? null : own.batch;
    Optional<Request> request;
    if (told != null && told.root() == root) {
      request = proposer.onTold(sight, told, batches, mine, combiner);
    } else if (token != null) {
      request = proposer.next(sight, root, token, batches, mine, combiner);
    } else {
      if (now < pace.tokenBy()) {
        effects.add(new Effect.WakeAt(pace.tokenBy())); // An event may tell it sooner than a look.
      } else {
        look(now);
      }
      return;
    }
    if (request.isEmpty()) {
      look(now); // Nothing of it can be read here: it is left to those who posted it.
      return;
    }
    if (request.get() instanceof Request.Swap) {
      if (me.equals(combiner) && !onDuty()) {
        pace.found(now);
      }
      if (own != null) {
        own.sent = true;
      }
    }
    ask(request.get(), now);
  }

  private void look(long now) {
    sight.refresh = false;
    sight.sought = true;
    pace.looked(sight.lacksToken(), now);
    List<UUID> mailboxes = onDuty() ? mail.mailboxes(sight.root, me, pace.hasHints()) : List.of();
    ask(new Request.Look(birth, mailboxes), now);
  }

  private void ask(Request request, long now) {
    sight.requests++;
    outstanding = request;
    pace.sent(now);
    effects.add(new Effect.Ask(request));
  }

  private boolean onDuty() {
    return sight.isCombiner(me);
  }

  private boolean refuses(long id) {
    if (end != null) {
      effects.add(new Effect.Settle(id, end));
    } else if (closing) {
      refuse(id, "the object is closed");
    }
    return end != null || closing;
  }

  private void refuse(long id, String why) {
    effects.add(new Effect.Settle(id, new Verdict.Refused(why)));
  }

  private void end(Verdict verdict) {
    end = verdict;
    reads.endAll(effects, verdict);
    pending.endAll(effects, verdict, sight.root);
  }

  private List<Effect> taken() {
    if (mailbox && isDone()) {
      mailbox = false;
      effects.add(new Effect.DropMailbox(birth, me));
    }
    List<Effect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
