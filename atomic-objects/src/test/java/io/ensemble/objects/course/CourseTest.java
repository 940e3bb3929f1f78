package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.course.Verdict.Answered;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Sessions that come one after the other to a store that is fine. */
class CourseTest {

  private static final long SECOND = 1_000_000_000;
  private static final String UNREADABLE = "nobody reads this";
  private static final Bytes QUESTION = Bytes.of("?".getBytes(UTF_8));

  private final Machine machine = new Machine();
  private Root root = Root.first("text", World.BIRTH, Bytes.of(new byte[0]));
  private long looks;
  private long now;

  @Test
  void whoWasIdleWhileManyOthersCameIsNotForgottenOverIt() {
    Layout few = Layout.DEFAULT.members(2);
    List<Course> courses = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      courses.add(course(i, few));
    }

    for (int round = 0; round < 3; round++) {
      for (Course course : courses) {
        now += 2 * SECOND;
        assertThat(made(course, "x")).isInstanceOf(Answered.class);
      }
    }

    assertThat(root.position()).isEqualTo(18);
  }

  @Test
  void whoWasIdleIsNotForgottenWhereEventsTellOfTheOthersEither() {
    Layout few = Layout.DEFAULT.members(2);
    List<Course> courses = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      courses.add(course(i, few));
    }

    for (int round = 0; round < 3; round++) {
      for (Course course : courses) {
        now += SECOND / 100;
        course.told(root, root.sequence(), now);
        assertThat(made(course, "x")).isInstanceOf(Answered.class);
      }
    }

    assertThat(root.position()).isEqualTo(18);
  }

  @Test
  void whoIsAloneLooksOnce() {
    Course course = course(1, Layout.DEFAULT);

    for (int i = 0; i < 100; i++) {
      now += SECOND / 100;
      made(course, "x");
    }

    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aSequentialReadWaitsForNewsOnceAnEventHasComeOnly() {
    Course reader = course(1, Layout.DEFAULT);
    read(reader);
    made(course(2, Layout.DEFAULT), "x");
    assertThat(text(read(reader))).isEmpty();

    reader.hint(now); // its look is not answered yet

    assertThat(settled(reader.read(7, Bytes.of("?".getBytes(UTF_8)), true, now))).isNull();
  }

  @Test
  void resultsThatFitNoRootTogetherAreNotTheOthersFault() {
    machine.length = 200 << 10;
    Course course = course(1, Layout.DEFAULT);
    List<Effect> told = new ArrayList<>();

    List<Effect> effects = course.call(0, Bytes.of("x".getBytes(UTF_8)), now);
    for (int i = 1; i <= 40; i++) {
      course.call(i, Bytes.of("x".getBytes(UTF_8)), now);
    }
    run(course, effects, told);

    assertThat(told).hasSize(41);
    assertThat(told.stream().filter(e -> applied((Effect.Settle) e)).count()).isGreaterThan(10);
  }

  @Test
  void aReadThatComesWhileALookIsUnderWayIsAnsweredFromTheNextOne() {
    Course reader = course(1, Layout.DEFAULT);
    Request look = asked(reader.read(1, QUESTION, false, now));
    Answer early = carriedOut(look);
    made(course(2, Layout.DEFAULT), "x");
    reader.read(2, QUESTION, false, now);

    List<Effect> effects = reader.answered(early, now);

    assertThat(effects).filteredOn(Effect.Settle.class::isInstance).hasSize(1);
    assertThat(text(settled(run(reader, List.of(new Effect.Ask(asked(effects))))))).isEqualTo("x ");
  }

  @Test
  void aRootThatIsOlderThanOneThatWasSeenAnswersNothing() {
    Course reader = course(1, Layout.DEFAULT);
    Root before = root;
    made(course(2, Layout.DEFAULT), "x");
    read(reader);
    asked(reader.read(2, QUESTION, false, now));

    List<Effect> effects = reader.answered(new Answer.Looked(before, 1L, List.of()), now);

    assertThat(settled(effects)).isNull();
    assertThat(text(settled(run(reader, effects)))).isEqualTo("x ");
  }

  @Test
  void aCallThatIsUnderWayIsNotTakenBack() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    asked(course.call(2, QUESTION, now));
    course.call(3, QUESTION, now);

    assertThat(course.takeBack(2)).isFalse();
    assertThat(course.takeBack(3)).isTrue();
  }

  @Test
  void aSwapIsTriedOnARootThatAnEventToldOf() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    made(course(2, Layout.DEFAULT), "y");
    course.told(root, root.sequence(), now);
    long before = looks;

    assertThat(text(made(course, "z"))).isEqualTo("x y z ");

    assertThat(looks).isEqualTo(before);
  }

  @Test
  void whatWasToldLongAgoIsNotTried() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    made(course(2, Layout.DEFAULT), "y");
    course.told(root, root.sequence(), now);
    now += 2 * SECOND;

    assertThat(asked(course.call(1, QUESTION, now))).isInstanceOf(Request.Look.class);
  }

  @Test
  void aRootThatNeverCameToBeDecidesNothing() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    Course other = course(2, Layout.DEFAULT);
    read(other);
    Request.Swap undone = (Request.Swap) asked(other.call(1, Bytes.of("w".getBytes(UTF_8)), now));
    course.told(undone.next(), 99L, now);

    assertThat(text(read(course))).isEqualTo("x ");
    assertThat(text(made(course, "z"))).isEqualTo("x z ");
  }

  @Test
  void aRootThatWasToldAndCannotBeReadEndsNothing() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    Root bad =
        new Root(
            root.type(),
            root.birth(),
            root.sequence() + 1,
            root.position(),
            new Body.Inline(Bytes.of(UNREADABLE.getBytes(UTF_8))),
            root.members(),
            root.horizon(),
            null,
            null,
            0);
    course.told(bad, 99L, now);

    assertThat(text(made(course, "z"))).isEqualTo("x z ");
  }

  @Test
  void aBatchThatARootThatWasToldHoldsIsNotAppliedToItAgain() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    Bytes word = Bytes.of("w".getBytes(UTF_8));
    course.mail(new Batch(World.BIRTH, new UUID(1, 2), 1, root.sequence(), List.of(word)), now);
    made(course(2, Layout.DEFAULT), "w");
    course.told(root, root.sequence(), now);

    assertThat(text(made(course, "z"))).isEqualTo("x w z ");
  }

  @Test
  void aBatchIsOfTheRootThatIsKnownNotOfOneThatWasTold() {
    Course course = course(1, Layout.DEFAULT);
    made(course, "x");
    course.told(combinedBy(new UUID(1, 2), root.sequence() + 1), 99L, now);

    Request.Post post = (Request.Post) asked(course.call(1, QUESTION, now));

    assertThat(post.batch().base()).isEqualTo(root.sequence());
  }

  @Test
  void aCombinerAppliesWhatAnEventBrings() {
    Course course = course(1, Layout.DEFAULT);
    root = combinedBy(new UUID(1, 1), 2);
    asked(course.read(1, QUESTION, false, now));
    course.answered(new Answer.Looked(root, root.sequence(), List.of()), now);
    UUID sender = new UUID(1, 2);

    List<Effect> effects =
        course.mail(new Batch(World.BIRTH, sender, 1, 2, List.of(QUESTION)), now);

    Root next = ((Request.Swap) asked(effects)).next();
    assertThat(next.member(sender)).isPresent();
    assertThat(next.combiner()).isEqualTo(new UUID(1, 1));
  }

  @Test
  void noSnapshotIsMadeOfARootThatWasOnlyTold() {
    Layout large = Layout.DEFAULT.inlineBytes(3);
    Course course = course(1, large);
    made(course, "xxxx");
    made(course, "y"); // which announces a snapshot
    assertThat(root.announced()).isNotNull();
    Course other = course(2, large);
    read(other);
    Request.Swap undone = (Request.Swap) asked(other.call(1, Bytes.of("z".getBytes(UTF_8)), now));
    course.told(undone.next(), 99L, now);

    Request look = asked(course.call(3, QUESTION, now));
    Request.Save save = (Request.Save) asked(course.answered(carriedOut(look), now));

    assertThat(new String(save.state().array(), UTF_8)).isEqualTo("xxxx y ");
  }

  private Root combinedBy(UUID combiner, long sequence) {
    return new Root(
        root.type(),
        root.birth(),
        sequence,
        root.position(),
        root.body(),
        root.members(),
        root.horizon(),
        combiner,
        null,
        0);
  }

  private static Request asked(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Ask.class::isInstance)
        .map(e -> ((Effect.Ask) e).request())
        .findFirst()
        .orElseThrow();
  }

  private static boolean applied(Effect.Settle settle) {
    return settle.verdict() instanceof Answered answered && answered.outcome().applied();
  }

  private Course course(int index, Layout layout) {
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

  private Verdict made(Course course, String word) {
    return settled(run(course, course.call(1, Bytes.of(word.getBytes(UTF_8)), now)));
  }

  private Verdict read(Course course) {
    return settled(run(course, course.read(1, Bytes.of("?".getBytes(UTF_8)), true, now)));
  }

  private static String text(Verdict verdict) {
    Outcome outcome = ((Answered) verdict).outcome();
    return new String(outcome.bytes().array(), UTF_8);
  }

  private List<Effect> run(Course course, List<Effect> effects) {
    List<Effect> told = new ArrayList<>();
    run(course, effects, told);
    return told;
  }

  private void run(Course course, List<Effect> effects, List<Effect> told) {
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

  private Answer carriedOut(Request request) {
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

  private static Verdict settled(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Settle.class::isInstance)
        .map(e -> ((Effect.Settle) e).verdict())
        .findFirst()
        .orElse(null);
  }

  /** A text that calls append to; a result may be made long. */
  private static final class Machine implements io.ensemble.objects.machine.Machine {
    private final Appending appending = new Appending();
    private int length;

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
