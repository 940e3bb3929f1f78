package io.ensemble.zoofence.queue.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResourceCacheTest {
  private final List<String> closed = new ArrayList<>();
  private long now;
  private final ResourceCache<String, String> resourceCache =
      new ResourceCache<>(2, 100, () -> now, key -> "of " + key, closed::add);

  @Test
  void whatIsOpenIsUsedAgain() {
    String first = resourceCache.get("a");

    assertThat(resourceCache.get("a")).isSameAs(first);
    assertThat(closed).isEmpty();
  }

  @Test
  void theOneThatNobodyWantedForLongestMakesPlace() {
    resourceCache.get("a");
    resourceCache.get("b");
    resourceCache.get("a");

    resourceCache.get("c");

    assertThat(closed).containsExactly("of b");
  }

  @Test
  void whatNobodyWantsIsClosed() {
    resourceCache.get("a");
    now = 60;
    resourceCache.get("b");
    now = 100;

    resourceCache.closeIdle();
    assertThat(closed).containsExactly("of a");

    resourceCache.closeAll();
    assertThat(closed).containsExactly("of a", "of b");
  }
}
