package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.machine.NextCaller;
import io.ensemble.objects.machine.NextCaller.ExpectedCall;
import io.ensemble.objects.protocol.ProtocolEffect.LookInParallel;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Reads beside the outstanding request, and the combiner that a state expects. */
class ParallelLooksTest extends SessionFixture {

  private static final UUID OTHER = new UUID(9, 9);

  private static List<LookInParallel> looks(List<ProtocolEffect> effects) {
    return effects.stream()
        .filter(LookInParallel.class::isInstance)
        .map(LookInParallel.class::cast)
        .toList();
  }

  private static List<Long> settledCalls(List<ProtocolEffect> effects) {
    return effects.stream()
        .filter(ProtocolEffect.Settle.class::isInstance)
        .map(effect -> ((ProtocolEffect.Settle) effect).call())
        .toList();
  }

  private StoreResponse looked() {
    return new StoreResponse.Looked(root, root.sequence(), List.of());
  }

  private static ByteString word(String text) {
    return ByteString.of(text.getBytes(UTF_8));
  }

  @Test
  void readsDoNotWaitForTheStepInProgress() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    assertThat(asked(course.call(10, word("y"), now))).isInstanceOf(StoreRequest.Swap.class);

    List<LookInParallel> sent = new ArrayList<>();
    for (long id = 11; id <= 15; id++) {
      sent.addAll(looks(course.read(id, QUESTION, false, now)));
    }
    assertThat(sent).hasSize(ParallelLooks.MOST);

    List<ProtocolEffect> second = course.lookedInParallel(sent.get(1).number(), looked(), now);
    assertThat(settledCalls(second))
        .as("those that came before the look")
        .containsExactly(11L, 12L);
    assertThat(looks(second)).as("one look for all that wait").hasSize(1);

    List<ProtocolEffect> last =
        course.lookedInParallel(looks(second).get(0).number(), looked(), now);
    assertThat(settledCalls(last)).containsExactly(13L, 14L, 15L);
  }

  @Test
  void aLookThatFailedLeavesItsReadsToAnother() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    asked(course.call(10, word("y"), now));
    LookInParallel look = looks(course.read(11, QUESTION, false, now)).get(0);

    List<ProtocolEffect> failed =
        course.lookedInParallel(look.number(), new StoreResponse.Failed("lost"), now);

    assertThat(settledCalls(failed)).isEmpty();
    assertThat(course.lookedInParallel(look.number(), looked(), now))
        .as("a response after the time limit")
        .noneMatch(ProtocolEffect.Settle.class::isInstance);
  }

  @Test
  void aFailedSwapThatShowsTheRootNeedsNoRead() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    asked(course.call(10, word("y"), now));
    made(course(2, ProtocolSettings.DEFAULT), "z");

    StoreRequest next =
        asked(
            course.answered(
                new StoreResponse.Swapped(
                    false, null, new StoreResponse.Looked(root, root.sequence(), List.of())),
                now));

    assertThat(next).isInstanceOf(StoreRequest.Swap.class);
    assertThat(((StoreRequest.Swap) next).token()).isEqualTo(root.sequence());
  }

  /** The reads of a session that has just become the combiner of a lock that it holds. */
  @Test
  void aHolderThatCombinesDoesNotReadBeforeItsOwnCall() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    machine.expected = new ExpectedCall(new UUID(1, 0), true);
    StoreRequest lock = asked(course.call(10, word("y"), now));
    List<ProtocolEffect> held = course.answered(carriedOut(lock), now);
    assertThat(root.combiner()).isEqualTo(new UUID(1, 1));
    assertThat(looks(held)).isEmpty();

    now += ProtocolSettings.DEFAULT.duty().toNanos() / 100;
    List<ProtocolEffect> released = course.call(11, word("z"), now);

    assertThat(((StoreRequest.Swap) asked(released)).next().combiner()).isNull();
    assertThat(looks(released)).as("it combines no longer after this step").isEmpty();
  }

  /** One more call is expected soon, so the waiting one is not sent yet. */
  @Test
  void aReadBesideWaitingCallsOccupiesNoRequest() {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    StoreRequest first = asked(course.call(10, word("a"), now));
    course.call(11, word("b"), now);
    List<ProtocolEffect> ended = course.answered(carriedOut(first), now);
    assertThat(ended).noneMatch(ProtocolEffect.Ask.class::isInstance);

    List<ProtocolEffect> read = course.read(12, QUESTION, false, now);

    assertThat(looks(read)).hasSize(1);
    assertThat(read).noneMatch(ProtocolEffect.Ask.class::isInstance);
    now += SECOND;
    assertThat(asked(course.wake(now))).as("the call").isInstanceOf(StoreRequest.Swap.class);
  }

  @Test
  void aSessionThatPostsLooksMeanwhileWhetherTheCombinerHasResigned() {
    SessionProtocol rival = course(2, ProtocolSettings.DEFAULT);
    made(rival, "r");
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    machine.expected = new ExpectedCall(new UUID(1, 0), true);
    made(course, "y");
    assertThat(root.combiner()).isEqualTo(new UUID(1, 1));
    List<ProtocolEffect> asks = rival.call(10, word("w"), now + SECOND);
    now += SECOND;
    StoreRequest post = asked(rival.answered(carriedOut(asked(asks)), now));
    assertThat(post).isInstanceOf(StoreRequest.Post.class);

    now += SECOND;
    LookInParallel look = looks(rival.wake(now)).get(0);
    made(course, "z");
    rival.lookedInParallel(look.number(), looked(), now);
    List<ProtocolEffect> posted = rival.answered(new StoreResponse.Done(), now);
    while (posted.stream().noneMatch(ProtocolEffect.Ask.class::isInstance)) {
      now++;
      posted = rival.wake(now);
    }

    assertThat(asked(posted)).isInstanceOf(StoreRequest.Swap.class);
  }

  /** The root after a step of session 1, which holds a batch of another one if {@code isShared}. */
  private ObjectRoot rootAfterStep(ExpectedCall after, boolean isShared) {
    SessionProtocol course = course(1, ProtocolSettings.DEFAULT);
    made(course, "x");
    if (isShared) {
      course.mail(
          new CallBatch(SessionWorld.BIRTH, OTHER, 1, root.sequence(), List.of(word("w"))), now);
    }
    machine.expected = after;
    return ((StoreRequest.Swap) asked(course.call(10, word("y"), now))).next();
  }

  @Test
  void theSessionThatIsExpectedToCallBecomesTheCombinerOfAStepThatItIsPartOf() {
    assertThat(rootAfterStep(new ExpectedCall(new UUID(9, 0), false), true).combiner())
        .isEqualTo(OTHER);
  }

  @Test
  void aCallThatIsNotAwaitedMakesNoCombiner() {
    assertThat(rootAfterStep(new ExpectedCall(new UUID(1, 0), false), false).combiner()).isNull();
  }

  @Test
  void aCallThatIsAwaitedMakesItsSessionTheCombiner() {
    assertThat(rootAfterStep(new ExpectedCall(new UUID(1, 0), true), false).combiner())
        .isEqualTo(new UUID(1, 1));
  }

  @Test
  void aCallThatIsNotAwaitedMakesItsSessionTheCombinerWhereOthersAreActive() {
    made(course(2, ProtocolSettings.DEFAULT), "r");

    assertThat(rootAfterStep(new ExpectedCall(new UUID(1, 0), false), false).combiner())
        .isEqualTo(new UUID(1, 1));
  }

  @Test
  void noExpectedCallEndsTheCombining() {
    assertThat(rootAfterStep(new ExpectedCall(NextCaller.NONE, true), true).combiner()).isNull();
  }
}
