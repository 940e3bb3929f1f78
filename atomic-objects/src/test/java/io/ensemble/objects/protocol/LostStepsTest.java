package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Steps that a store shows and then loses, as an owner does that shows a step before others have
 * it, and dies. Other sessions make other steps with the same numbers.
 */
class LostStepsTest extends SessionFixture {

  private static final int MOST_REQUESTS = 50;
  private static final ProtocolSettings STORED =
      ProtocolSettings.DEFAULT.inlineBytes(3).tailSteps(100);

  private final Map<UUID, ByteString> snapshots = new HashMap<>();
  private final SessionProtocol reader = course(1, ProtocolSettings.DEFAULT);
  private final SessionProtocol other = course(2, ProtocolSettings.DEFAULT);

  @Test
  void aReadIsNotAnsweredFromALostStepWithTheSameNumber() {
    ObjectRoot before = root;
    made(other, "lost");
    assertThat(text(fresh(reader))).isEqualTo("lost ");
    root = before;
    made(course(3, ProtocolSettings.DEFAULT), "kept");

    assertThat(text(fresh(reader))).isEqualTo("kept ");
  }

  @Test
  void aCallIsNotAppliedToALostStepWithTheSameNumber() {
    ObjectRoot before = root;
    made(other, "lost");
    fresh(reader);
    root = before;
    made(course(3, ProtocolSettings.DEFAULT), "kept");

    assertThat(text(made(reader, "x"))).isEqualTo("kept x ");
    assertThat(text(fresh(other))).isEqualTo("kept x ");
  }

  @Test
  void aSequentialReadIsNotAnsweredFromALostStepAfterAnEventOfAnotherOne() {
    ObjectRoot before = root;
    made(other, "lost");
    fresh(reader);
    root = before;
    made(course(3, ProtocolSettings.DEFAULT), "kept");

    reader.told(root, root, now);

    assertThat(text(read(reader))).isEqualTo("kept ");
  }

  @Test
  void aTailIsNotAppliedToALostStep() {
    SessionProtocol writer = course(2, STORED);
    SessionProtocol observer = course(1, STORED);
    made(writer, "long");
    made(writer, "a");
    made(writer, "b");
    assertThat(root.body()).isInstanceOf(StateLocation.Stored.class);
    ObjectRoot before = root;
    made(writer, "lost");
    assertThat(text(fresh(observer))).endsWith("lost ");
    root = before;
    SessionProtocol third = course(3, STORED);
    made(third, "kept");
    made(third, "c");

    assertThat(text(fresh(observer))).isEqualTo("long a b kept c ");
    assertThat(text(made(observer, "d"))).isEqualTo("long a b kept c d ");
  }

  @Test
  void noRootRefersToASnapshotOfALostStep() {
    SessionProtocol writer = course(1, STORED);
    made(writer, "long"); // The state is large from now on.
    made(writer, "a"); // This step announces a snapshot.
    assertThat(root.announced()).isNotNull();
    ObjectRoot before = root;
    made(course(2, STORED), "lost");
    fresh(writer);
    List<ProtocolEffect> effects = writer.call(7, ByteString.of("x".getBytes(UTF_8)), now);
    while (!(asked(effects) instanceof StoreRequest.Save)) {
      effects = writer.answered(carriedOut(asked(effects)), now);
    }
    StoreResponse saved = carriedOut(asked(effects));
    root = before;
    made(course(3, STORED), "kept");

    run(writer, writer.answered(saved, now));
    made(writer, "y");
    made(writer, "z");

    assertThat(text(fresh(course(4, STORED)))).isEqualTo("long a kept x y z ");
  }

  @Test
  void aCallIsAppliedAlthoughTheStoreHasLostTheLastStep() {
    ObjectRoot before = root;
    made(other, "lost");
    fresh(reader);
    root = before;

    assertThat(text(within(reader, reader.call(3, word("x"), now)))).isEqualTo("x ");
  }

  @Test
  void aReadIsAnsweredAlthoughTheStoreHasLostTheLastSteps() {
    made(other, "kept");
    ObjectRoot before = root;
    made(other, "lost");
    made(other, "lost");
    fresh(reader);
    root = before;

    assertThat(text(within(reader, reader.read(3, QUESTION, false, now)))).isEqualTo("kept ");
    assertThat(root.sequence()).isGreaterThan(before.sequence());
  }

  /** The store shows an earlier root, because one of its nodes is behind. */
  @Test
  void aRootThatIsOnlyOldAnswersNothingHoweverOftenItIsRead() {
    ObjectRoot old = root;
    made(other, "x");
    fresh(reader);
    StoreRequest request = asked(reader.read(2, QUESTION, false, now));
    for (int i = 0; i < 9; i++) {
      StoreResponse behind =
          request instanceof StoreRequest.Look
              ? new StoreResponse.Looked(old, old, List.of())
              : carriedOut(request);
      List<ProtocolEffect> effects = reader.answered(behind, now);
      assertThat(settled(effects)).isNull();
      now += SECOND;
      boolean asks = effects.stream().anyMatch(ProtocolEffect.Ask.class::isInstance);
      request = asked(asks ? effects : reader.wake(now));
    }

    assertThat(text(within(reader, List.of(new ProtocolEffect.Ask(request))))).isEqualTo("x ");
  }

  private CallResult fresh(SessionProtocol session) {
    return settled(run(session, session.read(1, QUESTION, false, now)));
  }

  private static ByteString word(String word) {
    return ByteString.of(word.getBytes(UTF_8));
  }

  /** The result of a call; fails if the session sends too many requests. */
  private CallResult within(SessionProtocol session, List<ProtocolEffect> first) {
    List<ProtocolEffect> effects = first;
    for (int i = 0; i < MOST_REQUESTS; i++) {
      CallResult result = settled(effects);
      if (result != null) {
        return result;
      }
      effects =
          effects.stream().anyMatch(ProtocolEffect.Ask.class::isInstance)
              ? session.answered(carriedOut(asked(effects)), now)
              : session.wake(now += SECOND);
    }
    throw new AssertionError("no result after " + MOST_REQUESTS + " requests");
  }

  /** The root is its own version: a lost one and the one in its place have different versions. */
  @Override
  StoreResponse carriedOut(StoreRequest request) {
    if (request instanceof StoreRequest.Look) {
      return new StoreResponse.Looked(root, root, List.of());
    }
    if (request instanceof StoreRequest.Swap swap) {
      boolean done = swap.token().equals(root);
      root = done ? swap.next() : root;
      return new StoreResponse.Swapped(done, done ? root : null);
    }
    if (request instanceof StoreRequest.Save save) {
      snapshots.put(save.snapshot(), save.state());
      return new StoreResponse.Done();
    }
    return new StoreResponse.Fetched(snapshots.get(((StoreRequest.Fetch) request).snapshot()));
  }
}
