package io.ensemble.testkit.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.process.child.JavaProgram;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PortsTest {

  /** Another process, which prints whether it can lock a range of ports. */
  public static final class Other {
    /** Takes the first port and the number of ports. */
    public static void main(String[] arguments) {
      int first = Integer.parseInt(arguments[0]);
      System.out.print(Ports.tryLockRange(first, Integer.parseInt(arguments[1])));
    }
  }

  @Test
  void portsThatOneProcessHasNoOtherGets() throws IOException {
    int first = Ports.reserve(3);

    assertThat(elsewhere(first, 1)).isEqualTo("false");
    assertThat(elsewhere(first + 2, 2)).isEqualTo("false");
    assertThat(elsewhere(40_000, 3)).isEqualTo("true");
  }

  @Test
  void noPortIsHandedOutTwice() {
    int first = Ports.reserve(1);

    assertThat(Ports.tryLockRange(first, 1)).isFalse();
    assertThat(Ports.reserve(1)).isNotEqualTo(first);
  }

  private static String elsewhere(int first, int length) throws IOException {
    Process other =
        JavaProgram.ofThisProcess(Other.class.getName())
            .process(String.valueOf(first), String.valueOf(length))
            .start();
    return new String(other.getInputStream().readAllBytes(), UTF_8).strip();
  }
}
