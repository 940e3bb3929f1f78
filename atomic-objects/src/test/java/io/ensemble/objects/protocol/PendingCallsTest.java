package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.protocol.PendingCalls.Own;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A batch whose session is no longer remembered when its outcome is read. */
class PendingCallsTest {

  private static final ByteString CALL = ByteString.of("x".getBytes(UTF_8));

  private final PendingCalls calls = new PendingCalls(new UUID(1, 1), ProtocolSettings.DEFAULT);
  private final ObjectRoot before = ObjectRoot.first("text", SessionWorld.BIRTH, CALL);
  private final List<ProtocolEffect> effects = new ArrayList<>();

  /** The root after ten steps, of which the ninth was the last one of a dropped session. */
  private ObjectRoot after() {
    return new ObjectRoot(
        before.type(),
        before.birth(),
        before.sequence() + 10,
        10,
        before.body(),
        List.of(),
        before.sequence() + 9,
        null,
        null,
        0);
  }

  private CallBatch begun() {
    calls.add(7, CALL);
    Own own = calls.next(before, 0);
    assertThat(own).isNotNull();
    return own.batch;
  }

  @Test
  void isBasedOnTheLaterRootIfItWasNeverSent() {
    CallBatch former = begun();

    calls.settle(after(), 0, 0, effects);

    assertThat(effects).isEmpty();
    Own own = calls.next(after(), 0);
    assertThat(own).isNotNull();
    assertThat(own.batch)
        .isEqualTo(
            new CallBatch(
                former.birth(),
                former.session(),
                former.number(),
                after().sequence(),
                former.calls()));
    assertThat(own.ids).containsExactly(7L);
    assertThat(after().standing(own.batch)).isEqualTo(ObjectRoot.Standing.NEW);
  }

  @Test
  void endsUnknownIfItWasSent() {
    begun();
    Own own = calls.own();
    assertThat(own).isNotNull();
    own.sent = true;

    calls.settle(after(), 0, 0, effects);

    assertThat(calls.own()).isNull();
    assertThat(effects)
        .singleElement()
        .isInstanceOfSatisfying(
            ProtocolEffect.Settle.class,
            settle -> assertThat(settle.verdict()).isInstanceOf(CallResult.Unknown.class));
  }
}
