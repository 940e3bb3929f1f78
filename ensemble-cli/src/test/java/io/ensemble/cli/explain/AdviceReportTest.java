package io.ensemble.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdviceReportTest {

  @Test
  void theCommandKeepsTheNumberOfReplicas() {
    CacheDefinition.Builder stock = CacheDefinition.of("stock", Mode.MWMR).sites("a", "b", "c");

    assertThat(AdviceReport.command(stock.build(), List.of("a", "b", "d")))
        .isEqualTo("caches alter stock --sites a,b,d");
    assertThat(AdviceReport.command(stock.replicas(5).build(), List.of("a", "b", "d")))
        .isEqualTo("caches alter stock --sites a,b,d --replicas 5");
  }
}
