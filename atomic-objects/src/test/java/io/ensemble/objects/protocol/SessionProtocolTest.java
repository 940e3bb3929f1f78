package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.protocol.CallResult.Answered;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sessions that use a store without faults, one after the other. */
class SessionProtocolTest extends SessionFixture {

  @Test
  void whoWasIdleWhileManyOthersCameIsNotForgottenOverIt() {
    List<SessionProtocol> courses = moreThanAreRemembered();

    for (int round = 0; round < 3; round++) {
      for (SessionProtocol course : courses) {
        now += 2 * SECOND;
        assertThat(made(course, "x")).isInstanceOf(Answered.class);
      }
    }

    assertThat(root.position()).isEqualTo(18);
  }

  @Test
  void whoIsAloneLooksOnce() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);

    for (int i = 0; i < 100; i++) {
      now += SECOND / 100;
      made(course, "x");
    }

    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aSequentialReadWaitsForNewsOnceAnEventHasComeOnly() {
    SessionProtocol reader = course(1, ProtocolSettings.DEFAULT);
    read(reader);
    made(course(2, ProtocolSettings.DEFAULT), "x");
    assertThat(text(read(reader))).isEmpty();

    reader.hint(now); // its Look has no response yet

    assertThat(settled(reader.read(7, ByteString.of("?".getBytes(UTF_8)), true, now))).isNull();
  }

  @Test
  void resultsThatFitNoRootTogetherAreNotTheOthersFault() {
    machine.length = 200 << 10;
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    List<ProtocolEffect> told = new ArrayList<>();

    List<ProtocolEffect> effects = course.call(0, ByteString.of("x".getBytes(UTF_8)), now);
    for (int i = 1; i <= 40; i++) {
      course.call(i, ByteString.of("x".getBytes(UTF_8)), now);
    }
    run(course, effects, told);

    assertThat(told).hasSize(41);
    assertThat(told.stream().filter(e -> applied((ProtocolEffect.Settle) e)).count())
        .isGreaterThan(10);
  }

  @Test
  void aReadThatComesWhileALookIsUnderWayIsAnsweredFromTheNextOne() {
    SessionProtocol reader = course(1, ProtocolSettings.DEFAULT);
    StoreRequest look = asked(reader.read(1, QUESTION, false, now));
    StoreResponse early = carriedOut(look);
    made(course(2, ProtocolSettings.DEFAULT), "x");
    reader.read(2, QUESTION, false, now);

    List<ProtocolEffect> effects = reader.answered(early, now);

    assertThat(effects).filteredOn(ProtocolEffect.Settle.class::isInstance).hasSize(1);
    assertThat(text(settled(run(reader, List.of(new ProtocolEffect.Ask(asked(effects)))))))
        .isEqualTo("x ");
  }

  @Test
  void aRootThatIsOlderThanOneThatWasSeenAnswersNothing() {
    SessionProtocol reader = course(1, ProtocolSettings.DEFAULT);
    ObjectRoot before = root;
    made(course(2, ProtocolSettings.DEFAULT), "x");
    read(reader);
    asked(reader.read(2, QUESTION, false, now));

    List<ProtocolEffect> effects =
        reader.answered(new StoreResponse.Looked(before, 1L, List.of()), now);

    assertThat(settled(effects)).isNull();
    assertThat(text(settled(run(reader, effects)))).isEqualTo("x ");
  }

  @Test
  void aCallThatIsUnderWayIsNotTakenBack() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    asked(course.call(2, QUESTION, now));
    course.call(3, QUESTION, now);

    assertThat(course.takeBack(2)).isFalse();
    assertThat(course.takeBack(3)).isTrue();
  }

  @Test
  void aRootWithABatchOfOursThatWeHaveNotBegunIsAFaultThoughItWasSeenBeforeTheNextCall() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    root = ForgedRoots.withFutureBatches(root);
    run(course, course.read(2, QUESTION, false, now)); // No call waits: nothing is compared yet.

    assertThatThrownBy(() -> made(course, "y")).isInstanceOf(AssertionError.class);
  }
}
