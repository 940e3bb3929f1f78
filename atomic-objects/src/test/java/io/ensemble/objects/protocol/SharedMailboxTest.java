package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A session that posts its batch to the shared mailbox, and later reads that mailbox itself. */
class SharedMailboxTest extends SessionFixture {

  private static final UUID COMBINER = new UUID(9, 9);
  private static final ByteString CALL = ByteString.of("x".getBytes(UTF_8));
  private static final long TRIP = 1_000_000;

  private ObjectRoot combined(long sequence) {
    return new ObjectRoot(
        root.type(), root.birth(), sequence, 0, root.body(), List.of(), 0, COMBINER, null, 0);
  }

  private static StoreResponse.Looked looked(ObjectRoot root, CallBatch... posted) {
    return new StoreResponse.Looked(root, root.sequence(), List.of(posted));
  }

  private static StoreResponse lostTo(ObjectRoot found) {
    return new StoreResponse.Swapped(false, null, looked(found));
  }

  private static List<ProtocolEffect.LookInParallel> parallel(List<ProtocolEffect> effects) {
    return effects.stream()
        .filter(ProtocolEffect.LookInParallel.class::isInstance)
        .map(ProtocolEffect.LookInParallel.class::cast)
        .toList();
  }

  private List<ProtocolEffect> answered(SessionProtocol session, StoreResponse response) {
    now += TRIP;
    return session.answered(response, now);
  }

  @Test
  void itsOwnBatchIsAppliedOnce() {
    SessionProtocol session = course(1, ProtocolSettings.DEFAULT);
    session.begin(combined(100), 100L, now);
    session.call(1, CALL, now);
    answered(session, lostTo(combined(110)));
    StoreRequest.Post post = (StoreRequest.Post) asked(answered(session, lostTo(combined(120))));
    assertThat(post.mailbox()).isEqualTo(SessionWorld.BIRTH);
    answered(session, new StoreResponse.Done());
    now += SECOND; // The patience has ended.
    List<ProtocolEffect> first = session.wake(now);
    assertThat(asked(first)).isInstanceOf(StoreRequest.Swap.class);

    List<ProtocolEffect> effects = answered(session, lostTo(combined(140)));
    ProtocolEffect.LookInParallel look = parallel(effects).get(0);
    assertThat(look.look().mailboxes()).containsExactly(SessionWorld.BIRTH);
    session.lookedInParallel(look.number(), looked(combined(140), post.batch()), now);
    StoreRequest.Swap swap = (StoreRequest.Swap) asked(answered(session, lostTo(combined(151))));

    assertThat(swap.next().position()).as("calls of the object").isEqualTo(1);
  }

  /** The root after so many steps of others that sessions were forgotten. */
  private ObjectRoot forgetful(long sequence) {
    ObjectRoot later = combined(sequence);
    return new ObjectRoot(
        later.type(),
        later.birth(),
        sequence,
        0,
        later.body(),
        List.of(),
        sequence - 1,
        COMBINER,
        null,
        0);
  }

  @Test
  void aBatchThatWasProposedEndsUnknownOnceItsSessionIsForgotten() {
    SessionProtocol session = course(1, ProtocolSettings.DEFAULT);
    session.begin(combined(100), 100L, now);
    assertThat(asked(session.call(1, CALL, now))).isInstanceOf(StoreRequest.Swap.class);

    List<ProtocolEffect> effects = answered(session, lostTo(forgetful(200)));

    assertThat(settled(effects)).isInstanceOf(CallResult.Unknown.class);
  }

  /** A session that waits for the combiner to read its mailbox. */
  private SessionProtocol posted() {
    SessionProtocol session = course(1, ProtocolSettings.DEFAULT);
    ObjectRoot root = combined(100);
    SessionEntry entry = new SessionEntry(new UUID(1, 1), 0, 100, List.of());
    session.begin(
        new ObjectRoot(
            root.type(),
            root.birth(),
            root.sequence(),
            0,
            root.body(),
            List.of(entry),
            0,
            COMBINER,
            null,
            0),
        100L,
        now);
    assertThat(asked(session.call(1, CALL, now))).isInstanceOf(StoreRequest.Post.class);
    answered(session, new StoreResponse.Done());
    return session;
  }

  @Test
  void aBatchThatWasPostedEndsUnknownOnceItsSessionIsForgotten() {
    SessionProtocol session = posted();
    now += 2 * TRIP;
    ProtocolEffect.LookInParallel look = parallel(session.wake(now)).get(0);

    List<ProtocolEffect> effects =
        session.lookedInParallel(look.number(), looked(forgetful(200)), now);

    assertThat(settled(effects)).isInstanceOf(CallResult.Unknown.class);
  }

  @Test
  void looksForAPostedBatchAreBoundedAndAreRepeated() {
    SessionProtocol session = posted();
    int looks = 0;

    for (int i = 0; i < 10; i++) {
      now += 2 * TRIP;
      List<ProtocolEffect> effects = session.wake(now);
      looks += parallel(effects).size();
      assertThat(effects).hasAtLeastOneElementOfType(ProtocolEffect.WakeAt.class);
    }

    assertThat(looks).isEqualTo(ParallelLooks.MOST);
  }
}
