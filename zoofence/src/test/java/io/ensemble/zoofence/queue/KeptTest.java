package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeptTest {
  private final List<String> closed = new ArrayList<>();
  private long now;
  private final Kept<String, String> kept =
      new Kept<>(2, 100, () -> now, key -> "of " + key, closed::add);

  @Test
  void whatIsOpenIsUsedAgain() {
    String first = kept.get("a");

    assertThat(kept.get("a")).isSameAs(first);
    assertThat(closed).isEmpty();
  }

  @Test
  void theOneThatNobodyWantedForLongestMakesPlace() {
    kept.get("a");
    kept.get("b");
    kept.get("a");

    kept.get("c");

    assertThat(closed).containsExactly("of b");
  }

  @Test
  void whatNobodyWantsIsClosed() {
    kept.get("a");
    now = 60;
    kept.get("b");
    now = 100;

    kept.tidy();
    assertThat(closed).containsExactly("of a");

    kept.closeAll();
    assertThat(closed).containsExactly("of a", "of b");
  }
}
