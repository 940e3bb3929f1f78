package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.record.ByteString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Sessions of one object and their store. Every event is a separate step: a request is carried out
 * now, later or never; its response arrives or is lost; an event arrives; time passes; a session
 * dies.
 */
final class SessionWorld {

  /**
   * The calls of each session, in order, and how many faults may happen.
   *
   * @param callers how many calls of a session may be in progress at a time
   * @param losses the number of steps that the store shows and loses
   */
  record Scenario(
      String name,
      List<List<String>> scripts,
      int callers,
      int faults,
      int crashes,
      int hints,
      int losses,
      ProtocolSettings layout) {

    Scenario(
        String name,
        List<List<String>> scripts,
        int faults,
        int crashes,
        int hints,
        ProtocolSettings layout) {
      this(name, scripts, 1, faults, crashes, hints, 0, layout);
    }

    Scenario(
        String name,
        List<List<String>> scripts,
        int faults,
        int crashes,
        int hints,
        int losses,
        ProtocolSettings layout) {
      this(name, scripts, 1, faults, crashes, hints, losses, layout);
    }
  }

  /** Bugs that are planted in the protocol. */
  enum Bug {
    NONE,
    TRUSTS_EVENTS,
    SKIPS_GAPS,
    FORGETS_CALLS,
    TRUNCATES_EARLY,
    TWO_COMBINERS
  }

  static final UUID BIRTH = new UUID(7, 7);

  private static final long LONG = 3_600_000_000_000L;

  private final class Session {
    final int index;
    final UUID id;
    final SessionProtocol course;
    final List<String> script;
    long now;
    long wakeAt = Long.MAX_VALUE;
    StoreRequest asked;
    StoreResponse answer;
    final Map<Long, ProtocolEffect.LookInParallel> looks = new TreeMap<>();
    final Map<Long, StoreResponse> looked = new TreeMap<>();
    final Map<Long, ObservedCall> under = new TreeMap<>();
    int next;
    boolean dead;

    Session(
        int index,
        List<String> script,
        AppendStateMachine machine,
        ProtocolSettings layout,
        Set<SafetyRule> rules) {
      this.index = index;
      this.id = new UUID(1, index + 1);
      this.script = script;
      int[] names = {0};
      this.course =
          new SessionProtocol(
              machine, id, BIRTH, layout, rules, () -> new UUID(index + 1, ++names[0]), index + 1);
    }
  }

  private final List<Session> sessions = new ArrayList<>();
  private final List<StoreRequest> ghosts = new ArrayList<>();
  private final AppendStateMachine machine = new AppendStateMachine();
  private final StoreModel storeModel;
  final List<ObservedCall> made = new ArrayList<>();
  private int settled;
  private int settledWhenChecked = -1;
  private String textWhenChecked = "";
  private int faults;
  private int crashes;
  private int hints;
  private int losses;
  private final int callers;

  SessionWorld(Scenario scenario, Bug bug) {
    this.storeModel = new StoreModel(machine, bug);
    this.faults = scenario.faults;
    this.crashes = scenario.crashes;
    this.hints = scenario.hints;
    this.losses = scenario.losses;
    this.callers = scenario.callers;
    Set<SafetyRule> rules = new HashSet<>(Set.of(SafetyRule.values()));
    Map<Bug, SafetyRule> broken =
        Map.of(
            Bug.TRUSTS_EVENTS, SafetyRule.EVENTS_ARE_HINTS,
            Bug.SKIPS_GAPS, SafetyRule.GAPS_ARE_FILLED,
            Bug.FORGETS_CALLS, SafetyRule.CALLS_ARE_REMEMBERED,
            Bug.TRUNCATES_EARLY, SafetyRule.SNAPSHOTS_COME_FIRST);
    rules.remove(broken.get(bug));
    for (int i = 0; i < scenario.scripts.size(); i++) {
      sessions.add(new Session(i, scenario.scripts.get(i), machine, scenario.layout, rules));
    }
  }

  /** The possible next steps. */
  List<String> steps() {
    List<String> steps = new ArrayList<>();
    for (int g = 0; g < ghosts.size(); g++) {
      steps.add("late " + g);
    }
    for (Session s : sessions) {
      if (s.dead) {
        continue;
      }
      if (s.under.size() < callers && s.next < s.script.size()) {
        steps.add("call " + s.index);
      }
      if (s.answer != null) {
        steps.add("answer " + s.index);
      } else if (s.asked != null) {
        steps.add("do " + s.index);
        if (losses > 0 && storeModel.canShowAndLose(s.asked, s.id)) {
          steps.add("flash " + s.index);
        }
        if (s.asked instanceof StoreRequest.Look && storeModel.showsLost(s.id)) {
          steps.add("see " + s.index);
        }
        if (s.asked instanceof StoreRequest.Swap swap && storeModel.isOutdated(swap)) {
          steps.add("find " + s.index);
        }
        if (faults > 0) {
          if (s.asked instanceof StoreRequest.Swap) {
            steps.add("deny " + s.index);
          }
          steps.add("lose " + s.index);
          steps.add("delay " + s.index);
        }
      }
      for (long look : s.looks.keySet()) {
        steps.add((s.looked.containsKey(look) ? "seen " : "look ") + s.index + " " + look);
        if (faults > 0) {
          steps.add("miss " + s.index + " " + look);
        }
      }
      if (s.wakeAt != Long.MAX_VALUE) {
        steps.add("wake " + s.index);
        steps.add("wait " + s.index);
      }
      if (hints > 0 && !s.under.isEmpty()) {
        storeModel.events().forEach(e -> steps.add(e + " " + s.index));
      }
      if (crashes > 0 && !s.under.isEmpty()) {
        steps.add("crash " + s.index);
      }
    }
    return steps;
  }

  void take(String step) {
    String[] words = step.split(" ", -1);
    int index = Integer.parseInt(words[1]);
    if (words[0].equals("late")) {
      storeModel.carryOut(ghosts.remove(index));
      return;
    }
    Session s = sessions.get(index);
    switch (words[0]) {
      case "call" -> call(s);
      case "do" -> s.answer = storeModel.carryOut(s.asked);
      case "find" -> s.answer = storeModel.found((StoreRequest.Swap) s.asked);
      case "look" -> {
        long look = Long.parseLong(words[2]);
        s.looked.put(look, storeModel.carryOut(s.looks.get(look).look()));
      }
      case "seen" -> {
        long look = Long.parseLong(words[2]);
        s.looks.remove(look);
        perform(s, s.course.lookedInParallel(look, s.looked.remove(look), s.now));
      }
      case "miss" -> {
        faults--;
        long look = Long.parseLong(words[2]);
        s.looks.remove(look);
        s.looked.remove(look);
        perform(s, s.course.lookedInParallel(look, new StoreResponse.Failed("lost"), s.now));
      }
      case "deny" -> {
        faults--;
        s.answer = storeModel.found((StoreRequest.Swap) s.asked);
      }
      case "flash" -> {
        losses--;
        storeModel.showAndLose((StoreRequest.Swap) s.asked, s.id);
        s.answer = new StoreResponse.Failed("shown and lost");
      }
      case "see" -> s.answer = storeModel.lost();
      case "lose" -> {
        faults--;
        storeModel.carryOut(s.asked);
        s.answer = new StoreResponse.Failed("lost");
      }
      case "delay" -> {
        faults--;
        ghosts.add(s.asked);
        storeModel.undone(s.asked);
        s.answer = new StoreResponse.Failed("late");
      }
      case "answer" -> {
        StoreResponse answer = s.answer;
        s.answer = null;
        s.asked = null;
        perform(s, s.course.answered(answer, s.now));
      }
      case "wake" -> {
        s.now = Math.max(s.now, s.wakeAt);
        s.wakeAt = Long.MAX_VALUE;
        perform(s, s.course.wake(s.now));
      }
      case "wait" -> {
        s.now += LONG;
        s.wakeAt = Long.MAX_VALUE;
        perform(s, s.course.wake(s.now));
      }
      case "hint", "told", "old", "phantom", "mail" -> {
        hints--;
        perform(s, storeModel.tell(words[0], s.course, s.now));
      }
      case "crash" -> {
        crashes--;
        s.dead = true;
        if (s.asked != null && s.answer == null) {
          ghosts.add(s.asked);
        }
      }
      default -> throw new AssertionError(step);
    }
  }

  private void call(Session s) {
    String word = s.script.get(s.next++);
    ObservedCall observed =
        new ObservedCall(word, (int) made.stream().filter(m -> m.known).count());
    s.under.put((long) s.next, observed);
    made.add(observed);
    ByteString call = ByteString.of(word.getBytes(UTF_8));
    perform(
        s,
        word.equals("?")
            ? s.course.read(s.next, call, false, s.now)
            : s.course.call(s.next, call, s.now));
  }

  private void perform(Session s, List<ProtocolEffect> effects) {
    for (ProtocolEffect effect : effects) {
      if (effect instanceof ProtocolEffect.Ask ask) {
        s.asked = ask.request();
      } else if (effect instanceof ProtocolEffect.LookInParallel look) {
        s.looks.put(look.number(), look);
      } else if (effect instanceof ProtocolEffect.WakeAt wake) {
        s.wakeAt = wake.nanos();
      } else if (effect instanceof ProtocolEffect.DropMailbox drop) {
        storeModel.mailboxes.remove(drop.session());
      } else if (effect instanceof ProtocolEffect.DropSnapshot drop) {
        storeModel.snapshots.remove(drop.snapshot());
      } else if (effect instanceof ProtocolEffect.Settle settle) {
        settle(s, settle.call(), settle.verdict());
      }
    }
  }

  private void settle(Session s, long number, CallResult callResult) {
    ObservedCall call = s.under.remove(number);
    settled++;
    if (callResult instanceof CallResult.Answered answered) {
      call.known = true;
      call.outcome = new String(answered.outcome().bytes().array(), UTF_8);
      // Calls with a result come first, in the order of their ends: later calls count them.
      made.remove(call);
      made.add((int) made.stream().filter(m -> m.known).count(), call);
    } else if (callResult instanceof CallResult.Unknown) {
      call.known = false;
    } else {
      call.refused = true;
      if (callResult instanceof CallResult.Broken broken) {
        throw new Violation("a session broke: " + broken.why());
      }
    }
  }

  /** Throws {@link Violation} if the calls that have ended cannot have had these outcomes. */
  void check() {
    if (settled == settledWhenChecked && storeModel.text.equals(textWhenChecked)) {
      return;
    }
    settledWhenChecked = settled;
    textWhenChecked = storeModel.text;
    List<String> applied = List.of(storeModel.text.trim().split(" ", -1));
    if (new HashSet<>(applied).size() != applied.size()) {
      throw new Violation("a call was applied twice: '" + storeModel.text + "'");
    }
    List<ObservedCall> ended = made.stream().filter(m -> m.known).toList();
    for (ObservedCall call : ended) {
      if (!storeModel.text.startsWith(call.outcome)) {
        throw new Violation("'" + call.outcome + "' is no beginning of '" + storeModel.text + "'");
      }
      if (!call.word.equals("?") && !call.outcome.endsWith(call.word + " ")) {
        throw new Violation(call.word + " ended with '" + call.outcome + "'");
      }
      for (ObservedCall before : ended.subList(0, call.ended)) {
        if (!call.outcome.startsWith(before.outcome)) {
          throw new Violation(
              call.word + " saw '" + call.outcome + "' after '" + before.outcome + "' had ended");
        }
      }
    }
    made.stream()
        .filter(m -> m.refused && applied.contains(m.word))
        .forEach(
            m -> {
              throw new Violation(m.word + " was refused, and applied");
            });
  }

  /** Whether all calls have ended, or their sessions have died. */
  boolean ended() {
    return sessions.stream()
        .allMatch(s -> s.dead || s.under.isEmpty() && s.next == s.script.size());
  }

  String digest() {
    StringBuilder out = new StringBuilder();
    out.append(storeModel.digest()).append(ghosts);
    out.append(faults).append(crashes).append(hints).append(losses);
    for (Session s : sessions) {
      out.append('|').append(s.dead).append(s.next).append(s.wakeAt == Long.MAX_VALUE);
      if (!s.dead) {
        out.append(s.asked).append(s.answer).append(SessionDigest.of(s.course, s.now));
        out.append(s.under.keySet());
        long requests = SessionDigest.requests(s.course);
        s.looks.forEach((number, look) -> out.append(requests - number).append(look.look()));
        s.looked.forEach((number, answer) -> out.append(requests - number).append(answer));
      }
    }
    for (ObservedCall m : made) {
      out.append(m.word).append(m.ended).append(m.known).append(m.refused).append(m.outcome);
    }
    return out.toString();
  }

  /** A violated invariant. */
  static final class Violation extends RuntimeException {
    Violation(String message) {
      super(message);
    }
  }
}
