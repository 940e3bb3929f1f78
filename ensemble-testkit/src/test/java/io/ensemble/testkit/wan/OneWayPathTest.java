package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OneWayPathTest {

  private static final long MS = 1_000_000;
  private static final int PACKET = 1_250; // 1 ms at 10 Mbit/s.
  private static final long BEGIN = Long.MAX_VALUE - 5 * MS; // Clocks may wrap round.

  @Test
  void aPacketIsUnderWayForHalfTheRoundTrip() {
    OneWayPath lane = lane(50, 0, 0);

    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(25 * MS);
    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(25 * MS);
  }

  @Test
  void packetsWaitForThoseBeforeThem() {
    OneWayPath lane = lane(50, 10_000_000, 0);

    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(26 * MS);
    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(27 * MS);
    assertThat(lane.arrival(BEGIN + MS / 2, 10 * PACKET) - BEGIN).isEqualTo(37 * MS);
    assertThat(lane.arrival(BEGIN + 500 * MS, PACKET) - BEGIN).isEqualTo(526 * MS);
  }

  @Test
  void aFullQueueDropsAndIsEmptiedByTime() {
    OneWayPath lane = lane(50, 10_000_000, 0);
    long room = OneWayPath.SHORTEST_QUEUE_BYTES / PACKET;

    long arrived =
        LongStream.range(0, 10 * room)
            .filter(i -> lane.arrival(BEGIN, PACKET) != OneWayPath.NEVER)
            .count();

    // One packet is on the line, and one more is queued while only a part of it fits.
    assertThat(arrived).isBetween(room, room + 2);
    assertThat(lane.arrival(BEGIN + MS / 10, PACKET)).isEqualTo(OneWayPath.NEVER);
    assertThat(lane.arrival(BEGIN + 2 * MS, PACKET)).isNotEqualTo(OneWayPath.NEVER);
  }

  @Test
  void aQueueHoldsWhatIsUnderWayInARoundTrip() {
    PathProfile near = new PathProfile(Duration.ofMillis(1), 10_000_000, 0);
    PathProfile far = new PathProfile(Duration.ofMillis(500), 10_000_000, 0);

    assertThat(OneWayPath.queueBytes(near)).isEqualTo(OneWayPath.SHORTEST_QUEUE_BYTES);
    assertThat(OneWayPath.queueBytes(far)).isEqualTo(625_000);
    assertThat(OneWayPath.queueBytes(PathProfile.NONE)).isEqualTo(OneWayPath.SHORTEST_QUEUE_BYTES);
  }

  @Test
  void asManyAreLostAsAskedAndTheSameForASeed() {
    long lost = lost(lane(0, 0, 0.1), 20_000);

    assertThat(lost / 20_000.0).isCloseTo(0.1, within(0.02));
    assertThat(lost(lane(0, 0, 0.1), 20_000)).isEqualTo(lost);
    assertThat(lost(lane(0, 0, 0), 20_000)).isZero();
  }

  @Test
  void whatIsLostHasTakenTheLine() {
    OneWayPath lossy = lane(0, 10_000_000, 0.5);

    long last = OneWayPath.NEVER;
    for (int sent = 0; sent < 50; sent++) {
      long arrival = lossy.arrival(BEGIN, PACKET);
      if (arrival != OneWayPath.NEVER) {
        assertThat(arrival - BEGIN).isEqualTo((sent + 1) * MS);
        last = arrival;
      }
    }

    assertThat(last).isNotEqualTo(OneWayPath.NEVER);
  }

  @Test
  void nothingArrivesOverACutUntilItIsHealed() {
    OneWayPath lane = lane(50, 0, 0);

    lane.cut(true);
    assertThat(lane.arrival(BEGIN, PACKET)).isEqualTo(OneWayPath.NEVER);

    lane.cut(false);
    assertThat(lane.arrival(BEGIN, PACKET)).isNotEqualTo(OneWayPath.NEVER);
  }

  private static long lost(OneWayPath lane, int packets) {
    return LongStream.range(0, packets)
        .filter(i -> lane.arrival(BEGIN, PACKET) == OneWayPath.NEVER)
        .count();
  }

  private static OneWayPath lane(long roundTripMillis, long bitsPerSecond, double loss) {
    return new OneWayPath(
        new PathProfile(Duration.ofMillis(roundTripMillis), bitsPerSecond, loss), 7);
  }
}
