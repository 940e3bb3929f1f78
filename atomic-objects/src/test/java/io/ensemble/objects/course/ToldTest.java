package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.course.Verdict.Answered;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What events lead to, and what they may not. */
class ToldTest extends OneText {

  @Test
  void whoWasIdleIsNotForgottenWhereEventsTellOfTheOthersEither() {
    List<Course> courses = moreThanAreRemembered();

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
    assertThat(root.position()).isEqualTo(3); // Others come after one's own.
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
}
