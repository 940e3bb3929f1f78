package io.ensemble.zoofence.flattening;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ZnodePathsTest {

  /** ZooKeeper's own format; its counter overflows to negative numbers. */
  @ParameterizedTest
  @ValueSource(ints = {0, 7, 1_234_567_890, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
  void numbersAreWrittenAsZooKeeperDoes(int number) {
    assertThat(ZnodePaths.numbered("/a/n-", number))
        .isEqualTo(String.format(Locale.ENGLISH, "/a/n-%010d", number));
  }
}
