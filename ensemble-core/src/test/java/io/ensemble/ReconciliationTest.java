package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.site.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReconciliationTest {

  private static final Bytes KEY = Bytes.of((byte) 1, (byte) 2);

  @Test
  void policiesMakeOneValueOfSeveral() {
    List<String> latestFirst = List.of("c", "b", "a");

    assertThat(Reconciliation.<String>lastWriter().reconcile(latestFirst)).isEqualTo("c");
    assertThat(Reconciliation.merging(String::concat).reconcile(latestFirst)).isEqualTo("abc");
    assertThatThrownBy(() -> Reconciliation.refusing().reconcile(List.of(1, 2)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aContextIsCarriedAsBytesAndUsedWithItsOwnKeyOnly() {
    Bytes token = SiblingCodec.token(KEY, ActorVersionVector.NONE);
    CausalContext carried = CausalContext.of(CausalContext.of(token.array()).toBytes());

    assertThat(SiblingCodec.seen(KEY, Bytes.of(carried.toBytes())))
        .isEqualTo(ActorVersionVector.NONE);
    assertThat(carried).isEqualTo(CausalContext.of(token.array()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SiblingCodec.seen(Bytes.of((byte) 9), token))
        .withMessageContaining("the key that it was read from");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SiblingCodec.seen(KEY, Bytes.of(token.array()[0])))
        .withMessageContaining("one that a read returned");
    assertThatIllegalArgumentException().isThrownBy(() -> SiblingCodec.seen(KEY, Bytes.of()));
  }

  @Test
  void contextsThatAreCopiedDoNotChange() {
    byte[] bytes = {1, 2, 3};
    CausalContext context = CausalContext.of(bytes);
    bytes[0] = 9;
    context.toBytes()[1] = 9;

    assertThat(context.toBytes()).containsExactly(1, 2, 3);
  }
}
