package io.ensemble.objects.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
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

  @Test
  void aCombinerReadsTheSharedMailboxAfterAFewStepsAlsoWithEvents() {
    posted.mailboxes(root(1_000), ME, true);

    assertThat(posted.mailboxes(root(1_003), ME, true)).doesNotContain(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_004), ME, true)).contains(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_005), ME, true)).doesNotContain(SessionWorld.BIRTH);
    assertThat(posted.mailboxes(root(1_005), ME, true)).contains(SessionWorld.BIRTH);
  }
}
