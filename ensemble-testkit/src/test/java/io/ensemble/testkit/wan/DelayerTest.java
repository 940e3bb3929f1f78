package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayerTest {

  private static final int HOSTS = 3;
  private static final int LENGTH = 100;

  @Test
  void packetsComeInTheOrderOfTheirArrival() throws InterruptedException {
    Delayer delayer = delayer(10);
    long begin = System.nanoTime() - Duration.ofSeconds(1).toNanos();

    assertThat(accept(delayer, 0, 2, begin)).isTrue();
    assertThat(accept(delayer, 1, 2, begin - 3)).isTrue();
    assertThat(accept(delayer, 1, 0, begin - 3)).isTrue();
    assertThat(accept(delayer, 2, 0, begin - 2)).isTrue();

    List<String> order = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      PacketBuffer frame = delayer.next();
      order.add(frame.from + " to " + frame.to);
    }
    assertThat(order).containsExactly("1 to 2", "1 to 0", "2 to 0", "0 to 2");
  }

  @Test
  void nothingComesBeforeItsTime() throws InterruptedException {
    Delayer delayer = delayer(10);
    long begin = System.nanoTime();

    assertThat(accept(delayer, 0, 1, begin)).isTrue();
    delayer.next();

    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(Duration.ofMillis(10).toNanos());
  }

  @Test
  void memoryIsBoundedAndUsedAgain() throws InterruptedException {
    Delayer delayer = delayer(2);
    long begin = System.nanoTime() - Duration.ofSeconds(1).toNanos();

    assertThat(accept(delayer, 0, 1, begin)).isTrue();
    assertThat(accept(delayer, 0, 1, begin)).isTrue();
    assertThat(delayer.allocate()).isNull();

    delayer.done(delayer.next());
    assertThat(accept(delayer, 0, 1, begin)).isTrue();
  }

  @Test
  void whatIsForNoHostIsDropped() {
    Delayer delayer = delayer(1);

    assertThat(accept(delayer, 0, 0, 0)).isFalse();
    assertThat(accept(delayer, 0, HOSTS, 0)).isFalse();
    PacketBuffer version6 = packet(delayer, 1);
    version6.bytes[0] = 0x60;
    assertThat(delayer.accept(version6, 0, 0)).isFalse();
    PacketBuffer elsewhere = packet(delayer, 1);
    elsewhere.bytes[16] = 11;
    assertThat(delayer.accept(elsewhere, 0, 0)).isFalse();
    PacketBuffer broken = packet(delayer, 1);
    broken.length = 19;
    assertThat(delayer.accept(broken, 0, 0)).isFalse();
  }

  @Test
  void whatIsUnderWayToACutIsLost() throws InterruptedException {
    Delayer delayer = delayer(10);
    long begin = System.nanoTime() - Duration.ofSeconds(1).toNanos();

    assertThat(accept(delayer, 0, 1, begin)).isTrue();
    delayer.cut(0, 1, true);
    assertThat(accept(delayer, 1, 0, begin + 1)).isTrue();

    assertThat(delayer.next().from).isEqualTo(1);
  }

  private static Delayer delayer(int mostFrames) {
    PathProfile distance = PathProfile.of(Duration.ofMillis(20));
    OneWayPath[][] lanes =
        IntStream.range(0, HOSTS)
            .mapToObj(
                from ->
                    IntStream.range(0, HOSTS)
                        .mapToObj(to -> new OneWayPath(distance, 1))
                        .toArray(OneWayPath[]::new))
            .toArray(OneWayPath[][]::new);
    return new Delayer(lanes, mostFrames);
  }

  private static boolean accept(Delayer delayer, int from, int to, long nowNanos) {
    return delayer.accept(packet(delayer, to), from, nowNanos);
  }

  private static PacketBuffer packet(Delayer delayer, int to) {
    PacketBuffer frame = delayer.allocate();
    if (frame == null) {
      throw new AssertionError("no memory");
    }
    frame.length = LENGTH;
    frame.bytes[0] = 0x45;
    System.arraycopy(HostAddresses.NETWORK, 0, frame.bytes, 16, 3);
    frame.bytes[19] = (byte) (to + 1);
    return frame;
  }
}
