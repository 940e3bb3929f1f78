package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts must be MWMR while a change of parts reads generation marks from them. */
@Timeout(60)
class PartModesTest extends DistributedFixture {

  private static final CacheDefinition WEAK_Q =
      CacheDefinition.of("q", Mode.WEAK).sites("b").build();

  private StoredDefinition q() {
    return manager.stored("q").orElseThrow();
  }

  private void replace(StoredDefinition next) {
    assertThat(definitions.replace(next).toCompletableFuture().join()).isTrue();
  }

  private void isRefused(DistributedDefinition to) {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> manager.parts().alter(to))
        .withMessageContaining("cache=d");
    assertThat(manager.parts().underWay("d")).isEmpty();
  }

  @Test
  void partsDoNotChangeWhereAFormerOneIsNotMwmr() {
    distributed(PQR);
    part("s", "c");

    replace(
        q().with(
                Optional.of(
                    ConfigurationChange.begun(WEAK_Q, Map.of("b", "0000000b"), "mover", none()))));
    isRefused(PQR.without("q"));
    isRefused(PQR.with("s"));

    replace(q().switched());
    isRefused(PQR.without("q"));
  }

  private static TreeSet<io.ensemble.change.ObsoleteStore> none() {
    return new TreeSet<>();
  }

  @Test
  void aPartIsNotAlteredToAnotherMode() {
    distributed(PQR);

    assertThatIllegalStateException()
        .isThrownBy(() -> manager.alter(WEAK_Q))
        .withMessageContaining("cache=q mode=WEAK distributed=[d]");
    assertThat(q().change()).isEmpty();
  }
}
