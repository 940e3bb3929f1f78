package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final long MS = 1_000_000;
  private static final int PACKET = 1_250; // 1 ms at 10 Mbit/s.
  private static final long BEGIN = Long.MAX_VALUE - 5 * MS; // Clocks may wrap round.

  @Test
  void aPacketIsUnderWayForHalfTheRoundTrip() {
    Lane lane = lane(50, 0, 0);

    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(25 * MS);
    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(25 * MS);
  }

  @Test
  void packetsWaitForThoseBeforeThem() {
    Lane lane = lane(50, 10_000_000, 0);

    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(26 * MS);
    assertThat(lane.arrival(BEGIN, PACKET) - BEGIN).isEqualTo(27 * MS);
    assertThat(lane.arrival(BEGIN + MS / 2, 10 * PACKET) - BEGIN).isEqualTo(37 * MS);
    assertThat(lane.arrival(BEGIN + 500 * MS, PACKET) - BEGIN).isEqualTo(526 * MS);
  }

  @Test
  void aFullQueueDropsAndIsEmptiedByTime() {
    Lane lane = lane(50, 10_000_000, 0);
    long room = Lane.SHORTEST_QUEUE_BYTES / PACKET;

    long arrived =
        LongStream.range(0, 10 * room)
            .filter(i -> lane.arrival(BEGIN, PACKET) != Lane.NEVER)
            .count();

    // One is on the line, and one begins to wait while there is room for a part of it.
    assertThat(arrived).isBetween(room, room + 2);
    assertThat(lane.arrival(BEGIN + MS / 10, PACKET)).isEqualTo(Lane.NEVER);
    assertThat(lane.arrival(BEGIN + 2 * MS, PACKET)).isNotEqualTo(Lane.NEVER);
  }

  @Test
  void aQueueHoldsWhatIsUnderWayInARoundTrip() {
    Distance near = new Distance(Duration.ofMillis(1), 10_000_000, 0);
    Distance far = new Distance(Duration.ofMillis(500), 10_000_000, 0);

    assertThat(Lane.queueBytes(near)).isEqualTo(Lane.SHORTEST_QUEUE_BYTES);
    assertThat(Lane.queueBytes(far)).isEqualTo(625_000);
    assertThat(Lane.queueBytes(Distance.NONE)).isEqualTo(Lane.SHORTEST_QUEUE_BYTES);
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
    Lane lossy = lane(0, 10_000_000, 0.5);

    long last = Lane.NEVER;
    for (int sent = 0; sent < 50; sent++) {
      long arrival = lossy.arrival(BEGIN, PACKET);
      if (arrival != Lane.NEVER) {
        assertThat(arrival - BEGIN).isEqualTo((sent + 1) * MS);
        last = arrival;
      }
    }

    assertThat(last).isNotEqualTo(Lane.NEVER);
  }

  @Test
  void nothingArrivesOverACutUntilItIsMended() {
    Lane lane = lane(50, 0, 0);

    lane.cut(true);
    assertThat(lane.arrival(BEGIN, PACKET)).isEqualTo(Lane.NEVER);

    lane.cut(false);
    assertThat(lane.arrival(BEGIN, PACKET)).isNotEqualTo(Lane.NEVER);
  }

  private static long lost(Lane lane, int packets) {
    return LongStream.range(0, packets)
        .filter(i -> lane.arrival(BEGIN, PACKET) == Lane.NEVER)
        .count();
  }

  private static Lane lane(long roundTripMillis, long bitsPerSecond, double loss) {
    return new Lane(new Distance(Duration.ofMillis(roundTripMillis), bitsPerSecond, loss), 7);
  }
}
