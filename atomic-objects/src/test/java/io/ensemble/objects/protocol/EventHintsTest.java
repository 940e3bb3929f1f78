package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.protocol.CallResult.Answered;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Effects that events have on a session, and effects that they must not have. */
class EventHintsTest extends SessionFixture {

  @Test
  void whoWasIdleIsNotForgottenWhereEventsTellOfTheOthersEither() {
    List<SessionProtocol> courses = moreThanAreRemembered();

    for (int round = 0; round < 3; round++) {
      for (SessionProtocol course : courses) {
        now += SECOND / 100;
        course.told(root, root.sequence(), now);
        assertThat(made(course, "x")).isInstanceOf(Answered.class);
      }
    }

    assertThat(root.position()).isEqualTo(18);
  }

  @Test
  void aSwapIsTriedOnARootThatAnEventToldOf() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    made(course(2, ProtocolSettings.DEFAULT), "y");
    course.told(root, root.sequence(), now);
    long before = looks;

    assertThat(text(made(course, "z"))).isEqualTo("x y z ");

    assertThat(looks).isEqualTo(before);
  }

  @Test
  void whatWasToldLongAgoIsNotTried() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    made(course(2, ProtocolSettings.DEFAULT), "y");
    course.told(root, root.sequence(), now);
    now += 2 * SECOND;

    assertThat(asked(course.call(1, QUESTION, now))).isInstanceOf(StoreRequest.Look.class);
  }

  @Test
  void aRootThatNeverCameToBeDecidesNothing() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    SessionProtocol other = course(2, ProtocolSettings.DEFAULT);
    read(other);
    StoreRequest.Swap undone =
        (StoreRequest.Swap) asked(other.call(1, ByteString.of("w".getBytes(UTF_8)), now));
    course.told(undone.next(), 99L, now);

    assertThat(text(read(course))).isEqualTo("x ");
    assertThat(text(made(course, "z"))).isEqualTo("x z ");
  }

  @Test
  void aRootThatWasToldAndCannotBeReadEndsNothing() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    ObjectRoot bad =
        new ObjectRoot(
            root.type(),
            root.birth(),
            root.sequence() + 1,
            root.position(),
            new StateLocation.Inline(ByteString.of(UNREADABLE.getBytes(UTF_8))),
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
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    ByteString word = ByteString.of("w".getBytes(UTF_8));
    course.mail(
        new CallBatch(SessionWorld.BIRTH, new UUID(1, 2), 1, root.sequence(), List.of(word)), now);
    made(course(2, ProtocolSettings.DEFAULT), "w");
    course.told(root, root.sequence(), now);

    assertThat(text(made(course, "z"))).isEqualTo("x w z ");
    assertThat(root.position()).isEqualTo(3); // A second w would come after z.
  }

  @Test
  void aBatchIsOfTheRootThatIsKnownNotOfOneThatWasTold() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    course.told(combinedBy(new UUID(1, 2), root.sequence() + 1), 99L, now);

    StoreRequest.Post post = (StoreRequest.Post) asked(course.call(1, QUESTION, now));

    assertThat(post.batch().base()).isEqualTo(root.sequence());
  }

  @Test
  void aCombinerAppliesWhatAnEventBrings() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    root = combinedBy(new UUID(1, 1), 2);
    asked(course.read(1, QUESTION, false, now));
    course.answered(new StoreResponse.Looked(root, root.sequence(), List.of()), now);
    UUID sender = new UUID(1, 2);

    List<ProtocolEffect> first =
        course.mail(new CallBatch(SessionWorld.BIRTH, sender, 1, 2, List.of(QUESTION)), now);
    assertThat(first)
        .as("a chosen combiner expects a call of its own")
        .noneMatch(ProtocolEffect.Ask.class::isInstance);
    now += 1_000_000;
    List<ProtocolEffect> effects = course.wake(now);

    ObjectRoot next = ((StoreRequest.Swap) asked(effects)).next();
    assertThat(next.member(sender)).isPresent();
    assertThat(next.combiner()).isEqualTo(new UUID(1, 1));
  }

  @Test
  void noSnapshotIsMadeOfARootThatWasOnlyTold() {
    ProtocolSettings large = ProtocolSettings.DEFAULT.inlineBytes(3);
    SessionProtocol course = course(1, large);
    made(course, "xxxx");
    made(course, "y"); // which announces a snapshot
    assertThat(root.announced()).isNotNull();
    SessionProtocol other = course(2, large);
    read(other);
    StoreRequest.Swap undone =
        (StoreRequest.Swap) asked(other.call(1, ByteString.of("z".getBytes(UTF_8)), now));
    course.told(undone.next(), 99L, now);

    StoreRequest look = asked(course.call(3, QUESTION, now));
    StoreRequest.Save save = (StoreRequest.Save) asked(course.answered(carriedOut(look), now));

    assertThat(new String(save.state().array(), UTF_8)).isEqualTo("xxxx y ");
  }

  private ObjectRoot combinedBy(UUID combiner, long sequence) {
    return new ObjectRoot(
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
