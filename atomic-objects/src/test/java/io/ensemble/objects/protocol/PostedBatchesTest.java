package io.ensemble.objects.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PostedBatchesTest {

  private static final UUID ME = new UUID(1, 1);

  private final PostedBatches posted =
      new PostedBatches(ProtocolSettings.DEFAULT, SessionWorld.BIRTH);

  private static ObjectRoot root(long sequence) {
    ObjectRoot first = ObjectRoot.first("text", SessionWorld.BIRTH, ByteString.EMPTY);
    return new ObjectRoot(
        first.type(), first.birth(), sequence, 0, first.body(), List.of(), 0, null, null, 0);
  }

  @Test
  void stepsBeforeASessionOpenedTheObjectDoNotMakeTheSharedMailboxDue() {
    assertThat(posted.isSharedDue(root(1_000))).isFalse();
    assertThat(posted.isSharedDue(root(1_031))).isFalse();
    assertThat(posted.isSharedDue(root(1_032))).isTrue();
  }

  /** Otherwise the sessions that come second to a new object wait for twice as many steps. */
  @Test
  void theStepsOfANewObjectMakeTheSharedMailboxDue() {
    for (int step = 1; step < 32; step++) {
      assertThat(posted.isSharedDue(root(step))).as("step %d", step).isFalse();
    }
    assertThat(posted.isSharedDue(root(32))).isTrue();
  }

  @Test
  void aCombinerReadsTheSharedMailboxAfterAFewStepsAlsoWithEvents() {
    posted.mailboxes(root(1_000), ME, true);

    assertThat(posted.mailboxes(root(1_003), ME, true)).doesNotContain(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_004), ME, true)).contains(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_005), ME, true)).doesNotContain(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_005), ME, true)).contains(SessionWorld.BIRTH);
  }

  private static ObjectRoot root(long sequence, SessionEntry... members) {
    ObjectRoot root = root(sequence);
    return new ObjectRoot(
        root.type(), root.birth(), sequence, 0, root.body(), List.of(members), 0, null, null, 0);
  }

  /** Otherwise a combiner polls the mailboxes of processes that ended long ago. */
  @Test
  void sessionsThatWereQuietForManyStepsAreNotPolledAndKnowIt() {
    UUID other = new UUID(2, 2);
    SessionEntry entry = new SessionEntry(other, 1, 1_000, List.of());

    assertThat(posted.mailboxes(root(1_064, entry), ME, false)).contains(other);
    assertThat(posted.mailboxes(root(1_065, entry), ME, false)).doesNotContain(other);
    assertThat(PostedBatches.isPolled(root(1_032, entry), other)).isTrue();
    assertThat(PostedBatches.isPolled(root(1_033, entry), other)).isFalse();
    assertThat(PostedBatches.isPolled(root(1_033, entry), ME)).isFalse();
  }
}
