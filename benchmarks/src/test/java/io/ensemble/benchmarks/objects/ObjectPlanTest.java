package io.ensemble.benchmarks.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectPlanTest {

  private static final Path FIGURES = Path.of("figures");

  private static ObjectPlan crowd(int processes, List<Integer> clients, List<Integer> oneWay) {
    return new ObjectPlan(
        processes, clients, List.of(1), List.of(1), List.of(1), oneWay, 1, 0, FIGURES);
  }

  @Test
  void clientsTakeTurnsAmongProcesses() {
    ObjectPlan crowd = crowd(4, List.of(1), List.of(0));

    assertThat(crowd.shared(1)).containsExactly(List.of(0));
    assertThat(crowd.shared(6))
        .containsExactly(List.of(0, 4), List.of(1, 5), List.of(2), List.of(3));
  }

  @Test
  void aCrowdOfNobodyIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> crowd(0, List.of(1), List.of(0)))
        .withMessageContaining("processes=0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> crowd(4, List.of(), List.of(0)))
        .withMessageContaining("1 or more");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> crowd(4, List.of(4, 0), List.of(0)))
        .withMessageContaining("[4, 0]");
  }

  @Test
  void serversAreNotNearerThanNear() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> crowd(4, List.of(1), List.of(-1)))
        .withMessageContaining("[-1]");
  }
}
