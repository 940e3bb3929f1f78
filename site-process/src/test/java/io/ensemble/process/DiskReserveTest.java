package io.ensemble.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DiskReserveTest {

  private final AtomicLong free = new AtomicLong();
  private final File disk =
      new File("disk") {
        private static final long serialVersionUID = 1L;

        @Override
        public long getUsableSpace() {
          return free.get();
        }
      };
  private final DiskReserve reserve = new DiskReserve(disk, 100);

  @Test
  void aLowDiskIsLowUntilHalfAsMuchAgainIsFree() {
    assertThat(low(100)).isFalse();
    assertThat(low(99)).isTrue();
    assertThat(low(100)).isTrue();
    assertThat(low(149)).isTrue();
    assertThat(low(150)).isFalse();
    assertThat(low(100)).isFalse();
    assertThat(low(99)).isTrue();
  }

  @Test
  void whatOthersWriteMayUseThreeQuartersOfIt() {
    free.set(25);
    assertThat(reserve.isAlmostFull()).isFalse();
    free.set(24);
    assertThat(reserve.isAlmostFull()).isTrue();
  }

  @Test
  void aDiskThatCannotBeLookedAtIsLow() {
    assertThat(new DiskReserve(new File("no/such/directory"), 1).isLow()).isTrue();
  }

  private boolean low(long bytes) {
    free.set(bytes);
    return reserve.isLow();
  }
}
