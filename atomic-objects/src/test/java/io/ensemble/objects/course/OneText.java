package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.course.Verdict.Answered;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/** A text that sessions append to, and a store that is fine. */
abstract class OneText {

  static final long SECOND = 1_000_000_000;
  static final String UNREADABLE = "nobody reads this";
  static final Bytes QUESTION = Bytes.of("?".getBytes(UTF_8));

  final Machine machine = new Machine();
  Root root = Root.first("text", World.BIRTH, Bytes.of(new byte[0]));
  long looks;
  long now;

  static Request asked(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Ask.class::isInstance)
        .map(e -> ((Effect.Ask) e).request())
        .findFirst()
        .orElseThrow();
  }

  static boolean applied(Effect.Settle settle) {
    return settle.verdict() instanceof Answered answered && answered.outcome().applied();
  }

  /** Six sessions of an object that remembers two. */
  List<Course> moreThanAreRemembered() {
    return IntStream.range(0, 6).mapToObj(i -> course(i, Layout.DEFAULT.members(2))).toList();
  }

  Course course(int index, Layout layout) {
    int[] names = {0};
    return new Course(
        machine,
        new UUID(1, index),
        World.BIRTH,
        layout,
        Set.of(Rule.values()),
        () -> new UUID(index, ++names[0]),
        index);
  }

  Verdict made(Course course, String word) {
    return settled(run(course, course.call(1, Bytes.of(word.getBytes(UTF_8)), now)));
  }

  Verdict read(Course course) {
    return settled(run(course, course.read(1, Bytes.of("?".getBytes(UTF_8)), true, now)));
  }

  static String text(Verdict verdict) {
    Outcome outcome = ((Answered) verdict).outcome();
    return new String(outcome.bytes().array(), UTF_8);
  }

  List<Effect> run(Course course, List<Effect> effects) {
    List<Effect> told = new ArrayList<>();
    run(course, effects, told);
    return told;
  }

  void run(Course course, List<Effect> effects, List<Effect> told) {
    List<Effect> left = new ArrayList<>(effects);
    while (!left.isEmpty()) {
      Effect effect = left.remove(0);
      if (effect instanceof Effect.Ask ask) {
        left.addAll(course.answered(carriedOut(ask.request()), now));
      } else if (effect instanceof Effect.WakeAt wake) {
        now = Math.max(now, wake.nanos());
        left.addAll(course.wake(now));
      } else if (effect instanceof Effect.Settle) {
        told.add(effect);
      }
    }
  }

  Answer carriedOut(Request request) {
    if (request instanceof Request.Look) {
      looks++;
      return new Answer.Looked(root, root.sequence(), List.of());
    }
    Request.Swap swap = (Request.Swap) request;
    if (!swap.token().equals(root.sequence())) {
      return new Answer.Swapped(false, null);
    }
    root = swap.next();
    return new Answer.Swapped(true, root.sequence());
  }

  static Verdict settled(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Settle.class::isInstance)
        .map(e -> ((Effect.Settle) e).verdict())
        .findFirst()
        .orElse(null);
  }

  /** A text that calls append to; a result may be made long. */
  static final class Machine implements io.ensemble.objects.machine.Machine {
    private final Appending appending = new Appending();
    int length;

    @Override
    public Object load(byte[] state) {
      if (new String(state, UTF_8).equals(UNREADABLE)) {
        throw new UnreadableException("it was to be", null);
      }
      return appending.load(state);
    }

    @Override
    public byte[] store(Object state) {
      return appending.store(state);
    }

    @Override
    public byte[] apply(Object state, byte[] call) {
      byte[] outcome = appending.apply(state, call);
      return length > 0 ? new byte[length] : outcome;
    }
  }
}
