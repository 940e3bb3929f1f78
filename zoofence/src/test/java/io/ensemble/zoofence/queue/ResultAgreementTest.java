package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

final class ResultAgreementTest {
  private static final InstanceResult PASSED = new InstanceResult.Passed();
  private static final InstanceResult REMEMBERED =
      new InstanceResult.Remembered(DedupSlot.UNUSED, 1);

  private static InstanceResult set(int version, long zxid) {
    var stat = new Stat();
    stat.setVersion(version);
    stat.setMzxid(zxid);
    return new InstanceResult.Done(zxid, List.of(new OpResult.SetDataResult(stat)));
  }

  private static InstanceResult refused(int... errors) {
    return new InstanceResult.Refused(java.util.Arrays.stream(errors).boxed().toList());
  }

  private static boolean agree(boolean alike, InstanceResult... results) {
    return ResultAgreement.isAgreed(List.of(results), alike);
  }

  @Test
  void anEffectAtOneIsAnEffectAtAll() {
    assertThat(agree(false, set(1, 5), REMEMBERED)).isTrue();
    assertThat(agree(false, set(1, 5), refused(-101))).isFalse();
    assertThat(agree(false, REMEMBERED, PASSED)).isFalse();
    assertThat(agree(false, PASSED, refused(-101))).isTrue();
  }

  @Test
  void whoHoldsTheSameComesToTheSameVersion() {
    assertThat(agree(true, set(1, 5), set(1, 99), REMEMBERED)).isTrue();
    assertThat(agree(true, set(1, 5), set(2, 5))).isFalse();
    assertThat(agree(false, set(1, 5), set(2, 5))).as("stubs have versions of their own").isTrue();
  }

  @Test
  void whoHoldsTheSameFailsForTheSameReason() {
    assertThat(agree(true, refused(-101), refused(-101), PASSED)).isTrue();
    assertThat(agree(true, refused(-101), refused(-103))).isFalse();
    assertThat(agree(true, refused(0, -101), refused(-101, -2))).isFalse();
    assertThat(agree(false, refused(-101), refused(-103))).isTrue();
  }
}
