package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ForwardingSiteTest {

  /** Otherwise a default that is added to {@link Site} would hide the wrapped site's. */
  @Test
  void everyMethodOfASiteIsForwarded() {
    assertThat(Site.class.getDeclaredMethods())
        .filteredOn(method -> !method.isSynthetic())
        .allSatisfy(
            method ->
                assertThat(Arrays.stream(ForwardingSite.class.getDeclaredMethods()))
                    .anyMatch(other -> isSame(method, other)));
  }

  private static boolean isSame(Method one, Method other) {
    return one.getName().equals(other.getName())
        && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
  }
}
