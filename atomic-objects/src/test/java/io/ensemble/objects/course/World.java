package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.root.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Sessions of one object and the store between them, in which anything that may happen is a step of
 * its own: a request is carried out, or later, or never; its answer arrives, or is lost; an event
 * comes; time passes; a session dies.
 */
final class World {

  /** What is tried: each session's calls, one after the other, and how much may go wrong. */
  record Scenario(
      String name, List<List<String>> scripts, int faults, int crashes, int hints, Layout layout) {}

  /** Faults of the construction that are put in on purpose. */
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
    final Course course;
    final List<String> script;
    long now;
    long wakeAt = Long.MAX_VALUE;
    Request asked;
    Answer answer;
    Made under;
    int next;
    boolean dead;

    Session(int index, List<String> script, Appending machine, Layout layout, Set<Rule> rules) {
      this.index = index;
      this.id = new UUID(1, index + 1);
      this.script = script;
      int[] names = {0};
      this.course =
          new Course(
              machine, id, BIRTH, layout, rules, () -> new UUID(index + 1, ++names[0]), index + 1);
    }
  }

  private final List<Session> sessions = new ArrayList<>();
  private final List<Request> ghosts = new ArrayList<>();
  private final Appending machine = new Appending();
  private final Shelf shelf;
  final List<Made> made = new ArrayList<>();
  private int settled;
  private int settledWhenChecked = -1;
  private String textWhenChecked = "";
  private int faults;
  private int crashes;
  private int hints;

  World(Scenario scenario, Bug bug) {
    this.shelf = new Shelf(machine, bug);
    this.faults = scenario.faults;
    this.crashes = scenario.crashes;
    this.hints = scenario.hints;
    Set<Rule> rules = new HashSet<>(Set.of(Rule.values()));
    Map<Bug, Rule> broken =
        Map.of(
            Bug.TRUSTS_EVENTS, Rule.EVENTS_ARE_HINTS,
            Bug.SKIPS_GAPS, Rule.GAPS_ARE_FILLED,
            Bug.FORGETS_CALLS, Rule.CALLS_ARE_REMEMBERED,
            Bug.TRUNCATES_EARLY, Rule.SNAPSHOTS_COME_FIRST);
    rules.remove(broken.get(bug));
    for (int i = 0; i < scenario.scripts.size(); i++) {
      sessions.add(new Session(i, scenario.scripts.get(i), machine, scenario.layout, rules));
    }
  }

  /** What may happen next. */
  List<String> steps() {
    List<String> steps = new ArrayList<>();
    for (int g = 0; g < ghosts.size(); g++) {
      steps.add("late " + g);
    }
    for (Session s : sessions) {
      if (s.dead) {
        continue;
      }
      if (s.under == null && s.next < s.script.size()) {
        steps.add("call " + s.index);
      }
      if (s.answer != null) {
        steps.add("answer " + s.index);
      } else if (s.asked != null) {
        steps.add("do " + s.index);
        if (faults > 0) {
          steps.add("lose " + s.index);
          steps.add("delay " + s.index);
        }
      }
      if (s.asked == null && s.wakeAt != Long.MAX_VALUE) {
        steps.add("wake " + s.index);
        steps.add("wait " + s.index);
      }
      if (hints > 0 && s.under != null) {
        shelf.events().forEach(e -> steps.add(e + " " + s.index));
      }
      if (crashes > 0 && s.under != null) {
        steps.add("crash " + s.index);
      }
    }
    return steps;
  }

  void take(String step) {
    String[] words = step.split(" ", -1);
    int index = Integer.parseInt(words[1]);
    if (words[0].equals("late")) {
      shelf.carryOut(ghosts.remove(index));
      return;
    }
    Session s = sessions.get(index);
    switch (words[0]) {
      case "call" -> call(s);
      case "do" -> s.answer = shelf.carryOut(s.asked);
      case "lose" -> {
        faults--;
        shelf.carryOut(s.asked);
        s.answer = new Answer.Failed("lost");
      }
      case "delay" -> {
        faults--;
        ghosts.add(s.asked);
        shelf.undone(s.asked);
        s.answer = new Answer.Failed("late");
      }
      case "answer" -> {
        Answer answer = s.answer;
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
        perform(s, shelf.tell(words[0], s.course, s.now));
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
    s.under = new Made(word, (int) made.stream().filter(m -> m.known).count());
    made.add(s.under);
    Bytes call = Bytes.of(word.getBytes(UTF_8));
    perform(
        s,
        word.equals("?")
            ? s.course.read(s.next, call, false, s.now)
            : s.course.call(s.next, call, s.now));
  }

  private void perform(Session s, List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Effect.Ask ask) {
        s.asked = ask.request();
      } else if (effect instanceof Effect.WakeAt wake) {
        s.wakeAt = wake.nanos();
      } else if (effect instanceof Effect.DropMailbox drop) {
        shelf.mailboxes.remove(drop.session());
      } else if (effect instanceof Effect.DropSnapshot drop) {
        shelf.snapshots.remove(drop.snapshot());
      } else if (effect instanceof Effect.Settle settle) {
        settle(s, settle.verdict());
      }
    }
  }

  private void settle(Session s, Verdict verdict) {
    Made call = s.under;
    s.under = null;
    settled++;
    if (verdict instanceof Verdict.Answered answered) {
      call.known = true;
      call.outcome = new String(answered.outcome().bytes().array(), UTF_8);
      // In the order of their ends, for later calls to count.
      made.remove(call);
      made.add((int) made.stream().filter(m -> m.known).count(), call);
    } else if (verdict instanceof Verdict.Unknown) {
      call.known = false;
    } else {
      call.refused = true;
      if (verdict instanceof Verdict.Broken broken) {
        throw new Violation("a session broke: " + broken.why());
      }
    }
  }

  /** Throws {@link Violation} if the calls that have ended cannot have had these outcomes. */
  void check() {
    if (settled == settledWhenChecked && shelf.text.equals(textWhenChecked)) {
      return;
    }
    settledWhenChecked = settled;
    textWhenChecked = shelf.text;
    List<String> applied = List.of(shelf.text.trim().split(" ", -1));
    if (new HashSet<>(applied).size() != applied.size()) {
      throw new Violation("a call was applied twice: '" + shelf.text + "'");
    }
    List<Made> ended = made.stream().filter(m -> m.known).toList();
    for (Made call : ended) {
      if (!shelf.text.startsWith(call.outcome)) {
        throw new Violation("'" + call.outcome + "' is no beginning of '" + shelf.text + "'");
      }
      if (!call.word.equals("?") && !call.outcome.endsWith(call.word + " ")) {
        throw new Violation(call.word + " ended with '" + call.outcome + "'");
      }
      for (Made before : ended.subList(0, call.ended)) {
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
    return sessions.stream().allMatch(s -> s.dead || s.under == null && s.next == s.script.size());
  }

  String digest() {
    StringBuilder out = new StringBuilder();
    out.append(shelf.digest()).append(ghosts);
    out.append(faults).append(crashes).append(hints);
    for (Session s : sessions) {
      out.append('|').append(s.dead).append(s.next).append(s.wakeAt == Long.MAX_VALUE);
      if (!s.dead) {
        out.append(s.asked).append(s.answer).append(Digest.of(s.course, s.now));
      }
    }
    for (Made m : made) {
      out.append(m.word).append(m.ended).append(m.known).append(m.refused).append(m.outcome);
    }
    return out.toString();
  }

  /** Something that must not be. */
  static final class Violation extends RuntimeException {
    Violation(String message) {
      super(message);
    }
  }
}
